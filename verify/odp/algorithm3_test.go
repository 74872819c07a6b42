package odp

import (
	"fmt"
	"testing"

	"checkrr/impl"
)

func TestIterateRefuses(t *testing.T) {
	t.Parallel()
	m, h := func([]int, int) int { return 0 }, func([]int) bool { return true }
	for _, x := range []struct {
		points   []int
		criteria []func([]int) bool
		want     string
	}{
		{nil, nil, "there are no stopping points, must be at least one"},
		{[]int{1, 1}, []func([]int) bool{h}, "stopping point 2 is 1, must be more than 1"},
		{[]int{1}, nil, "the last stopping point is 1, must be 2, the number of mechanisms"},
		{[]int{2}, []func([]int) bool{h}, "there are 1 criteria, must be 0, one for each stopping point but the last"},
	} {
		_, err := impl.Iterate(x.points, []func([]int, int) int{m, m}, x.criteria, 0)
		if fmt.Sprint(err) != "Iterate: "+x.want {
			t.Errorf("error is %v, must be %s", err, x.want)
		}
	}
}
