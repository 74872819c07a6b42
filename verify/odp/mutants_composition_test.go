package odp

import "checkrr/verify/register/registertest"

var compositionMutants = []registertest.Mutant{}
