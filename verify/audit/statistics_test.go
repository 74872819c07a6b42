package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// runsOf returns how many runs of the same there are, and how long the longest is.
func runsOf(all []string) (runs, longest int) {
	for from, to := 0, 0; from < len(all); from = to {
		for to = from; to < len(all) && all[to] == all[from]; to++ {
		}
		runs, longest = runs+1, max(longest, to-from)
	}
	return runs, longest
}

// The statistics of lists of texts, numbers and null are those that sorting and searching gives.
func TestStatistics(t *testing.T) {
	for seed := range uint64(500) {
		dice := diceOf(seed)
		var list []any
		var texts []string
		var numbers []float64
		var places []int
		for i := range dice.IntN(9) {
			var x any = float64(dice.IntN(5) - 2)
			switch dice.IntN(6) {
			case 0:
				x = nil
			case 1:
				x = "a"
			default:
				numbers, places = append(numbers, x.(float64)), append(places, i)
			}
			list, texts = append(list, x), append(texts, fmt.Sprint(x))
		}
		text, err := json.Marshal(append([]any{}, list...))
		if err != nil {
			t.Fatal(err)
		}
		o, _ := outputOf(t, string(text))
		got := *o.statisticsOf(0)
		want := statistics{theLargest: missing, theSecond: missing, theMedian: missing, theSmallest: missing,
			placeOfLargest: missing, placeOfSmallest: missing}
		runs, longest := runsOf(texts)
		want[theRuns], want[theLongest] = float64(runs), float64(longest)
		for _, x := range numbers {
			want[theSum] += x
			if x > 0 {
				want[thePositive]++
			}
		}
		if n := len(numbers); n > 0 {
			want[theLargest], want[theSmallest] = slices.Max(numbers), slices.Min(numbers)
			want[placeOfLargest] = float64(places[slices.Index(numbers, want[theLargest])])
			want[placeOfSmallest] = float64(places[slices.Index(numbers, want[theSmallest])])
			inOrder := slices.Sorted(slices.Values(numbers))
			if n > 1 {
				want[theSecond], want[theMedian] = inOrder[n-2], inOrder[n/2]
			}
		}
		if got != want {
			t.Fatalf("%s: %v, must be %v", text, got, want)
		}
		if again := *o.statisticsOf(0); again != got {
			t.Fatalf("%s: asked again %v", text, again)
		}
	}
	for i, name := range statisticNames {
		if name == "" || slices.Index(statisticNames[:], name) != i {
			t.Errorf("statistic %d is called %q", i, name)
		}
	}
}

// The statistics of one output are not taken for those of the next.
func TestStatistics_Reset(t *testing.T) {
	o, _ := outputOf(t, `[1,2]`)
	o.statisticsOf(0)
	if o.reset(o.layout, []float64{5, 6}); o.statisticsOf(0)[theSum] != 11 {
		t.Errorf("the sum is %g, must be 11", o.statisticsOf(0)[theSum])
	}
}
