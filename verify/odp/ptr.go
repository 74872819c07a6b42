package odp

import "checkrr/verify"

var ptr []verify.Statement
