package selection

import "checkrr/impl/interval"

const bits = interval.Wide
