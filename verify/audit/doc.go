// Package audit looks for violations of privacy claims: it is given a mechanism, as a law
// or as a program that draws outputs, and a claim of differential privacy or of output
// differential privacy, and returns an event that the claim does not allow, or how large
// a violation it would have seen.
package audit
