package impl

import "checkrr/impl/interval"

const bits = interval.Wide
