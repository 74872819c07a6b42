package odp

import "checkrr/verify"

var iterate []verify.Statement
