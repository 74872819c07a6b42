package basics

import "checkrr/verify/register/registertest"

var divergenceMutants = []registertest.Mutant{}

var compositionMutants = []registertest.Mutant{}
