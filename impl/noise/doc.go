// Package noise is where randomness comes from: [Random] draws in float64, from a seed, for experiments;
// [DiscreteLaplaceMechanism] and [DiscreteGaussianMechanism] are exact, as releases need it, with words of
// [SecureSource]; and [Coins] are exact coins.
package noise
