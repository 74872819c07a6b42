package odp

import "checkrr/verify"

var sparseRelease []verify.Statement
