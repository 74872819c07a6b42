package audit

import (
	"math"
	"slices"
)

// The statistics of the numbers in a list, and of its runs.
const (
	theSum = iota
	theLargest
	theSecond
	theMedian
	theSmallest
	placeOfLargest
	placeOfSmallest
	thePositive
	theRuns
	theLongest
	statisticCount
)

var statisticNames = [statisticCount]string{"sum", "largest", "second largest", "median", "smallest",
	"place of the largest", "place of the smallest",
	"how many are positive", "runs", "longest run"}

// statistics are of one list.
type statistics [statisticCount]float64

// statisticsOf returns those of a list, computed once for an output.
func (o *output) statisticsOf(i int) *statistics {
	for len(o.stats) < len(o.layout.lists) {
		o.stats = append(o.stats, statistics{theSum: math.NaN()})
	}
	s := &o.stats[i]
	if math.IsNaN(s[theSum]) {
		l := &o.layout.lists[i]
		o.sorted = s.fill(o.layout.spots[l.from:l.to], o.numbers, o.sorted[:0])
	}
	return s
}

// fill computes the statistics of some places. It returns the numbers there in order, in values if there is room.
func (s *statistics) fill(spots []spot, numbers, values []float64) []float64 {
	*s = statistics{}
	for _, i := range []int{theLargest, theSecond, theMedian, theSmallest, placeOfLargest, placeOfSmallest} {
		s[i] = missing
	}
	run := 0.0
	for i := range spots {
		t := &spots[i]
		if i == 0 || !sameSpot(t, &spots[i-1], numbers) {
			s[theRuns]++
			run = 0
		}
		run++
		s[theLongest] = max(s[theLongest], run)
		if t.kind != kindNumber {
			continue
		}
		x := numbers[t.index]
		if len(values) == 0 || x > s[theLargest] {
			s[theLargest], s[placeOfLargest] = x, float64(i)
		}
		if len(values) == 0 || x < s[theSmallest] {
			s[theSmallest], s[placeOfSmallest] = x, float64(i)
		}
		s[thePositive] += indicator(x > 0)
		s[theSum] += x
		values = append(values, x)
	}
	if math.IsInf(s[theSum], 0) || math.IsNaN(s[theSum]) {
		s[theSum] = math.MaxFloat64
	}
	if n := len(values); n > 1 {
		slices.Sort(values)
		s[theSecond], s[theMedian] = values[n-2], values[n/2]
	}
	return values
}

// sameSpot reports whether the same stands at two places.
func sameSpot(s, t *spot, numbers []float64) bool {
	if s.kind != t.kind {
		return false
	}
	if s.kind == kindNumber {
		return numbers[s.index] == numbers[t.index]
	}
	return s.text == t.text
}
