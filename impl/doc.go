// Package impl computes privacy guarantees fast, inside certified intervals.
//
// Parameters are exact (see [loss.Epsilon]); results are [interval.Interval]s that contain
// the real number that the definition gives for exactly these parameters.
// Float64 does the work and its rounding is bounded by analysis; where float64
// cannot reach the requested width the same recursion runs in [math/big.Float]
// with directed rounding.
package impl
