package certify

// Certificate is a problem with what is known about it, and how it can be checked.
type Certificate struct {
	Problem Problem
	Bounds
}
