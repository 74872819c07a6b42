package odp

import "checkrr/verify"

var compose []verify.Statement
