package odp

import "checkrr/verify"

var tables []verify.Statement
