package audit

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// How much is looked at, at most, whenever something is learned: the cost of a look does not grow with
// how wide outputs are, so that wide ones are looked at in fewer rows.
const (
	maxTokens   = 20_000_000 // words, prefixes and so on that are counted, about
	maxFeatures = 20_000     // that are compared
	screened    = 3_000_000  // entries of features that are compared
	mostWords   = 48         // of each kind that become features
	oftenWords  = 16         // and of those that are most frequent
	kept        = 64         // features that are learned from
	keptOfKind  = 10         // of every kind, if they say anything
)

// screening is how features compare.
type screening struct {
	feature feature
	gain    float64 // of the log-likelihood, for all rows
}

// screen returns the features that tell the inputs apart best, and how much they do, by the first
// rows.
func screen(features []feature, rows []row) []screening {
	rows = beginning(rows, len(features), screened)
	var all []screening
	const batch = 64 // columns at once, for memory
	for some := range slices.Chunk(features, batch) {
		t := tabulate(rows, some)
		for i, column := range t.columns {
			if gain := t.tells(column); gain > 0 {
				all = append(all, screening{some[i], gain})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b screening) int { return cmp.Compare(b.gain, a.gain) })
	return all
}

// tells returns what a column gains: by its best threshold, or by all of its values.
func (t table) tells(column []float64) float64 {
	const bins = 32
	edges := quantiles(column, bins)
	if len(edges) < 2 {
		return 0
	}
	histogram := make([][2]float64, len(edges))
	var sum [2]float64
	for i, x := range column {
		h, n := &histogram[sort.SearchFloat64s(edges, x)], &t.counts[i]
		h[0] += n[0]
		h[1] += n[1]
		sum[0] += n[0]
		sum[1] += n[1]
	}
	all := -float64(len(edges) - 1) // what chance gains, and a standard deviation or so
	for _, h := range histogram {
		all += likelihood(h)
	}
	one, _ := bestDivision(histogram, sum, likelihood)
	return max(max(one, all)-likelihood(sum), math.SmallestNonzeroFloat64)
}

// bestLeft returns what the best feature gains that was not chosen.
func bestLeft(all []screening, chosen []feature) float64 {
	for _, s := range all {
		if !slices.Contains(chosen, s.feature) {
			return s.gain
		}
	}
	return 0
}

// bestOf returns the features to learn from, of those that come with the best first, some of them twice: the best of
// every kind, and the best of all.
func bestOf(all []screening) []feature {
	var chosen []feature
	var ofKind [whats]int
	for _, s := range all {
		if ofKind[s.feature.what] < keptOfKind && s.gain > 1 && !slices.Contains(chosen, s.feature) {
			ofKind[s.feature.what]++
			chosen = append(chosen, s.feature)
		}
	}
	chosen = chosen[:min(len(chosen), kept*3/4)]
	for _, s := range all {
		if len(chosen) >= kept {
			break
		}
		if !slices.Contains(chosen, s.feature) {
			chosen = append(chosen, s.feature)
		}
	}
	return chosen
}
