// Package num is the arithmetic of package certify, with errors that are bounded: intervals of big.Float and of
// float64, sums of products, and convolutions by transforms.
package num
