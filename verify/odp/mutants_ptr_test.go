package odp

import "checkrr/verify/register/registertest"

var ptrMutants = []registertest.Mutant{}
