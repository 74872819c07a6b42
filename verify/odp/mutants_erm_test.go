package odp

import "checkrr/verify/register/registertest"

var ermMutants = []registertest.Mutant{}
