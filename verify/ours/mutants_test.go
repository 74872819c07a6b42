package ours

import "checkrr/verify/register/registertest"

// mutants are everyday slips in the code that the checks guard.
var mutants = []registertest.Mutant{}
