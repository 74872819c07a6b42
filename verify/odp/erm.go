package odp

import "checkrr/verify"

var erm []verify.Statement
