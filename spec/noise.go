package spec

// Noise is where a mechanism's randomness comes from. It is injected, so that two
// programs can be run on one tape of draws.
type Noise interface {
	Laplace(scale float64) float64 // X ~ Lap(scale), with density e^(−|x|/scale)/(2·scale)
}

// GaussianNoise is that of the Gaussian mechanism.
type GaussianNoise interface {
	Gauss(sigma float64) float64 // X ~ N(0, sigma²)
}
