// Package selection chooses the best of many private runs, and says what that costs.
//
// [PlanThresholding], [PlanRandomStopping], [PlanHardStopping] and [PlanPrivateSelection] say, for a [Goal], how often
// to run and what each run may spend. [Oracle] draws one of the candidates; [Thresholding], [RandomStopping],
// [HardStopping] and [PrivateSelection] run it until their coin says stop. [LargestRunEps] is what each run may spend
// where the number of runs has another law ([RunsLaw]).
package selection
