// Package laplace has probabilities of Laplace noise, certified, and integrals of products of them against a
// Laplace density,
//
//	∫ e^(−|z|/σ)/(2σ) · ∏_i F_i(z) dz,
//
// where every F_i is, between breakpoints, a constant plus a multiple of e^(z/s) or of
// e^(−z/s), as the distribution function of Lap(s) at t + z is. Between breakpoints a
// and b write u = e^((z−b)/s) and v = e^(−(z−a)/s). Both are in (0, 1], u·v is the
// constant d = e^(−(b−a)/s), and the product is a polynomial A(u)·B(v), so the integral
// is a sum of integrals of exponentials. No number overflows, however far apart the
// breakpoints are; but the sum cancels, about as much as ∏(1 + e^…) is larger than
// ∏(1 − e^…), which is 3^l for l factors. The caller adds bits until that is paid for.
package laplace
