package finite

import (
	"fmt"
	"slices"
	"testing"
)

func TestTuples(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		xs   []int
		n    int
		want string
	}{
		{[]int{5, 6, 7}, 2, "[[5 5] [6 5] [7 5] [5 6] [6 6] [7 6] [5 7] [6 7] [7 7]]"},
		{[]int{5}, 3, "[[5 5 5]]"},
		{[]int{5, 6}, 0, "[[]]"},
		{nil, 0, "[[]]"},
		{nil, 2, "[]"},
	} {
		if got := fmt.Sprint(slices.Collect(Tuples(test.xs, test.n))); got != test.want {
			t.Errorf("tuples of %d of %v: %s, must be %s", test.n, test.xs, got, test.want)
		}
	}
	for range Tuples([]int{1, 2}, 60) { // none is built that is not asked for
		break
	}
}

func TestEveryNth(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "[0 1 2 3 4 5 6]", 3: "[0 3 6]", 10: "[0]"} {
		if got := fmt.Sprint(slices.Collect(EveryNth(slices.Values([]int{0, 1, 2, 3, 4, 5, 6}), n))); got != want {
			t.Errorf("%s: %s, must be %s", Share(n), got, want)
		}
	}
	if Share(1) != "all" || Share(3) != "one in 3 of all" {
		t.Errorf("%s; %s", Share(1), Share(3))
	}
}

// Lists are the tuples of every length, and a grid changes its last axis fastest.
func TestLists(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(slices.Collect(Lists([]string{"a", "b"}, 1, 2)))
	Each3([]int{1, 2}, []string{"x"}, []bool{true, false}, func(i int, s string, b bool) { got += fmt.Sprint(i, s, b) })
	if want := "[[a] [b] [a a] [b a] [a b] [b b]]1xtrue1xfalse2xtrue2xfalse"; got != want {
		t.Errorf("%s, must be %s", got, want)
	}
}
