// Package calibrate measures audits: how often they refute claims that are true, and how
// often they find violations of known sizes.
package calibrate
