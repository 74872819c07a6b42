package audit

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// bernoulli returns the log-likelihood of so many of either input.
func bernoulli(a, b float64) float64 {
	return a*math.Log(a/(a+b)) + b*math.Log(b/(a+b))
}

// What a column tells is the gain by its best threshold, or that of all of its values less one for each beyond the
// first, whichever is more.
func TestTells(t *testing.T) {
	table := func(column []float64, first ...float64) table { // as many of the other input, in reverse
		t := table{columns: [][]float64{column}}
		for i := range first {
			t.counts = append(t.counts, [2]float64{first[i], first[len(first)-1-i]})
		}
		return t
	}
	constant := table([]float64{3, 3, 3, 3}, 9, 1, 1, 1)
	if got := constant.tells(constant.columns[0]); got != 0 {
		t.Errorf("a constant tells %g", got)
	}
	two := table([]float64{0, 0, 1, 1}, 30, 20, 5, 10)
	if got, want := two.tells(two.columns[0]), 2*bernoulli(50, 15)-bernoulli(65, 65); !near(got, want, 1e-9) {
		t.Errorf("two values tell %g, must be %g", got, want)
	}
	// four values: the best threshold is in the middle
	stairs := table([]float64{1, 2, 3, 4}, 30, 28, 4, 2)
	if got, want := stairs.tells(stairs.columns[0]), bernoulli(58, 6)+bernoulli(6, 58)-bernoulli(64, 64); !near(got,
		want, 1e-9) {
		t.Errorf("stairs tell %g, must be %g", got, want)
	}
	// four values that take turns: no threshold tells what they tell together
	turns := table([]float64{1, 2, 3, 4}, 300, 10, 300, 10)
	if got, want := turns.tells(turns.columns[0]), 2*bernoulli(300, 10)+2*bernoulli(10, 300)-bernoulli(620,
		620)-3; !near(got, want, 1e-9) {
		t.Errorf("turns tell %g, must be %g", got, want)
	}
	nothing := table([]float64{0, 1}, 5, 5)
	if got := nothing.tells(nothing.columns[0]); got <= 0 || got > 1e-9 {
		t.Errorf("what tells nothing but varies tells %g, must be next to nothing and more than 0", got)
	}
}

// Among a hundred places, the one that tells is first, and what is constant is left out.
func TestScreen(t *testing.T) {
	const places, telling = 100, 43
	dice := diceOf(2)
	samples := [2]*Sample{{}, {}}
	for side, s := range samples {
		for range 300 {
			numbers := make([]float64, places)
			for i := range numbers {
				numbers[i] = float64(dice.IntN(100))
			}
			numbers[0] = 7
			numbers[telling] += float64(40 * side)
			s.Group("", Numbers(places)).Add(numbers...)
		}
	}
	rows := rowsOfPart(nats(1), 0, samples)
	found := survey(rows)
	features, left := found.candidates(false)
	if left != 0 || len(features) < 2*places {
		t.Fatalf("%d features, %d left out", len(features), left)
	}
	all := screen(features, rows)
	best := all[0].feature
	if name := best.name(found.names); name != fmt.Sprintf("[%d]", telling) {
		t.Errorf("the best is %s", name)
	}
	if !slices.IsSortedFunc(all, func(a, b screening) int {
		return -int(math.Copysign(1, a.gain-b.gain)) * int(indicator(a.gain != b.gain))
	}) {
		t.Error("they are not in order")
	}
	for _, s := range all {
		if name := s.feature.name(found.names); name == "[0]" || s.gain <= 0 {
			t.Errorf("%s tells %g", name, s.gain)
		}
	}
}

// Of every kind the best are kept, up to their number, and then the best of all; none twice.
func TestBestOf(t *testing.T) {
	var all []screening
	add := func(w what, n int, gain float64) {
		for i := range n {
			all = append(all, screening{feature{what: w, index: i}, gain - float64(i)/1000})
		}
	}
	add(ofValue, 200, 50)
	add(ofItem, 30, 20)
	add(ofToken, 3, 5)
	add(ofChar, 3, 0.5) // chance
	best := bestOf(all)
	var n [whats]int
	for i, f := range best {
		n[f.what]++
		if slices.Index(best, f) != i {
			t.Errorf("%+v is there twice", f)
		}
		if f.index >= n[f.what]+keptOfKind {
			t.Errorf("%+v is kept, better ones are not", f)
		}
	}
	if len(best) != kept || n[ofItem] != keptOfKind || n[ofToken] != 3 || n[ofChar] != 0 ||
		n[ofValue] != kept-keptOfKind-3 {
		t.Errorf("%d are kept: %d values, %d texts, %d words, %d bytes", len(best), n[ofValue], n[ofItem],
			n[ofToken], n[ofChar])
	}
	if few := bestOf(all[:5]); len(few) != 5 {
		t.Errorf("%d of 5 are kept", len(few))
	}
	// however many kinds there are, a quarter of the room is for the best of all
	all = nil
	add(ofValue, 40, 1000)
	for w := ofItem; w < whats; w++ {
		add(w, keptOfKind, 100-float64(w))
	}
	values := 0
	best = bestOf(all)
	for _, f := range best {
		values += int(indicator(f.what == ofValue))
	}
	if len(best) != kept || values != keptOfKind+kept/4 {
		t.Errorf("%d are kept, %d of them values, must be %d and %d", len(best), values, kept, keptOfKind+kept/4)
	}
}
