package ledger

import "checkrr/impl/interval"

const bits = interval.Wide
