package odp

import (
	"fmt"
	"testing"

	"checkrr/impl"
)

func TestIterateRefuses(t *testing.T) {
	t.Parallel()
	m := func([]int, int) int { return 0 }
	two := []func([]int, int) int{m, m}
	h := []func([]int) bool{func([]int) bool { return true }}
	for want, err := range map[string]error{
		"Iterate: there are no stopping points, must be at least one": second(impl.Iterate(nil, two,
			nil, 0)),
		"Iterate: stopping point 2 is 1, must be more than 1": second(
			impl.Iterate([]int{1, 1}, two, h, 0)),
		"Iterate: the last stopping point is 1, must be 2, the number " +
			"of mechanisms": second(impl.Iterate([]int{1}, two, nil, 0)),
		"Iterate: there are 1 criteria, must be 0, one for each stopping point " +
			"but the last": second(impl.Iterate([]int{2}, two, h, 0)),
	} {
		if fmt.Sprint(err) != want {
			t.Errorf("error is %v, must be %s", err, want)
		}
	}
}
