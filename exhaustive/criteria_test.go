package exhaustive

import "testing"

// The early stop is worth 1/2; without it two mechanisms need 5/16.
func TestCriteria_ByHand(t *testing.T) {
	t.Parallel()
	for want, stops := range map[string][]Stop{
		"1/2":  {stop(1, "1"), stop(2, "4")},
		"5/16": {stop(2, "4")},
	} {
		got, err := Criteria(t.Context(), exact("3 0, 3 0", stops...))
		if err != nil || got.Cmp(rat(want)) != 0 {
			t.Errorf("%v: %v, %v, must be %s", stops, got, err, want)
		}
	}
	early := exact("2 1/9, 2 1/9, 2 1/9, 2 1/9", stop(1, "2"), stop(2, "2"), stop(3, "2"), stop(4, "2"))
	refuse(t, map[string]error{"rules, must be at most 1048576": second(Criteria(t.Context(), early))})
}
