package main

import (
	"github.com/google/differential-privacy/go/v3/dpagg"
	"github.com/google/differential-privacy/go/v3/noise"
)

const (
	eps   = 1.0
	delta = 1e-3
)

// mechanism draws one output on a list of numbers, each of them of one person.
type mechanism func(x []float64) (any, error)

// mechanisms are what the audit files of this folder name. Those of noise take a list of one number.
var mechanisms = map[string]mechanism{
	"laplace": func(x []float64) (any, error) {
		return noise.Laplace().AddNoiseFloat64(x[0], 1, 1, eps, 0)
	},
	"laplace-int": func(x []float64) (any, error) {
		return noise.Laplace().AddNoiseInt64(int64(x[0]), 1, 1, eps, 0)
	},
	"gaussian": func(x []float64) (any, error) {
		return noise.Gaussian().AddNoiseFloat64(x[0], 1, 1, eps, delta)
	},
	"gaussian-int": func(x []float64) (any, error) {
		return noise.Gaussian().AddNoiseInt64(int64(x[0]), 1, 1, eps, delta)
	},
	"count-thresholded": countThresholded,
	"sum":               func(x []float64) (any, error) { return sum(x, noise.Laplace(), 0) },
	"sum-gaussian":      func(x []float64) (any, error) { return sum(x, noise.Gaussian(), delta) },
	"mean":              mean,
	"variance":          variance,
	"median":            median,
	"select-partition":  func(x []float64) (any, error) { return selectPartition(x, 1) },
	"select-gaussian":   func(x []float64) (any, error) { return selectPartition(x, 4) },
}

// countThresholded is a count with Laplace noise, and null where it is below a threshold.
func countThresholded(x []float64) (any, error) {
	count, err := dpagg.NewCount(&dpagg.CountOptions{Epsilon: eps, MaxPartitionsContributed: 1})
	if err != nil {
		return nil, err
	}
	if err := count.IncrementBy(int64(len(x))); err != nil {
		return nil, err
	}
	return count.ThresholdedResult(delta)
}

// sum is a sum of numbers that are clamped to [0, 1].
func sum(x []float64, kind noise.Noise, delta float64) (any, error) {
	bs, err := dpagg.NewBoundedSumFloat64(&dpagg.BoundedSumFloat64Options{Epsilon: eps, Delta: delta,
		MaxPartitionsContributed: 1, Lower: 0, Upper: 1, Noise: kind})
	if err != nil {
		return nil, err
	}
	return filled(x, bs.Add, bs.Result)
}

// mean is a mean of numbers that are clamped to [0, 1].
func mean(x []float64) (any, error) {
	bm, err := dpagg.NewBoundedMean(&dpagg.BoundedMeanOptions{Epsilon: eps,
		MaxPartitionsContributed: 1, MaxContributionsPerPartition: 1, Lower: 0, Upper: 1})
	if err != nil {
		return nil, err
	}
	return filled(x, bm.Add, bm.Result)
}

// variance is a variance of numbers that are clamped to [0, 1].
func variance(x []float64) (any, error) {
	bv, err := dpagg.NewBoundedVariance(&dpagg.BoundedVarianceOptions{Epsilon: eps,
		MaxPartitionsContributed: 1, MaxContributionsPerPartition: 1, Lower: 0, Upper: 1})
	if err != nil {
		return nil, err
	}
	return filled(x, bv.Add, bv.Result)
}

// median is the median of numbers that are clamped to [0, 1], from a tree of noisy counts.
func median(x []float64) (any, error) {
	bq, err := dpagg.NewBoundedQuantiles(&dpagg.BoundedQuantilesOptions{Epsilon: eps,
		MaxPartitionsContributed: 1, MaxContributionsPerPartition: 1, Lower: 0, Upper: 1})
	if err != nil {
		return nil, err
	}
	return filled(x, bq.Add, func() (float64, error) { return bq.Result(0.5) })
}

// filled is the result of an aggregation after all numbers were added to it.
func filled(x []float64, add func(float64) error, result func() (float64, error)) (any, error) {
	for _, number := range x {
		if err := add(number); err != nil {
			return nil, err
		}
	}
	return result()
}

// selectPartition says whether a partition with as many people as there are numbers is kept,
// where each may contribute to so many partitions.
func selectPartition(x []float64, partitions int64) (any, error) {
	s, err := dpagg.NewPreAggSelectPartition(&dpagg.PreAggSelectPartitionOptions{
		Epsilon: eps, Delta: delta, MaxPartitionsContributed: partitions})
	if err != nil {
		return nil, err
	}
	if err := s.IncrementBy(int64(len(x))); err != nil {
		return nil, err
	}
	return s.ShouldKeepPartition()
}
