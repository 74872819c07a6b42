package odp

import "checkrr/verify/register/registertest"

var iterateMutants = []registertest.Mutant{
	{
		Name: "OptDel takes families that are not prefix-disjoint", File: "spec/iterate.go",
		Old: "maximum(p, prefixDisjoint)",
		New: "maximum(p, func([]set) bool { return true })",
	},
}
