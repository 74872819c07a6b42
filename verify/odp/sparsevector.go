package odp

import "checkrr/verify"

var sparseVector []verify.Statement
