package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// modulo has a number in which noise of a scale is added to at, modulo 10 steps, beside a large multiple of that; and numbers before it that
// tell nothing. With scale 1 the loss between neighbours is 1.
func modulo(at, scale, step float64, shape string, width int) Sampler {
	return fake(func(dice *rand.Rand, s *Sample) {
		x := at + laplaceOf(dice, scale)
		if step == 1 {
			x = math.Round(x) // what is rounded tells no more
		}
		numbers := make([]float64, width)
		for i := range numbers {
			numbers[i] = math.Round(1000 * dice.NormFloat64())
		}
		numbers[width-1] = step * (residue(x, 10) + 10*float64(dice.IntN(100_000)))
		s.Group("", shape, width).Add(numbers...)
	})
}

// Noise that is added modulo a number is seen, whatever multiple of that is added. Null hypothesis for a right one: its claim is true; it is refuted with probability at most 0.001.
func TestControl_ResiduesAreFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		step  float64
		shape string
		width int
		mixed bool // with numbers that are not whole
	}{{1, "#", 1, false}, {0.1, "#", 1, false}, {1, "[#,#,#,#]", 4, false}, {0.1, `{"a":#,"b":#}`, 2, false}, {1, "#", 1, true}, {1, "[#,#,#,#]", 4, true}} {
		name := fmt.Sprintf("%s modulo %g", test.shape, 10*test.step)
		on := func(at, scale float64) Sampler {
			m := modulo(at, scale, test.step, test.shape, test.width)
			if !test.mixed {
				return m
			}
			return fake(func(dice *rand.Rand, s *Sample) {
				if dice.IntN(20) > 0 {
					m.(fake)(dice, s)
					return
				}
				s.Group("", test.shape, test.width).Add(slices.Repeat([]float64{0.5}, test.width)...)
			})
		}
		pair := func(scale float64) Pair { return pairOf(on(2, scale), on(3, scale)) }
		o := Options{Samples: 20_000, Alpha: 0.001, Seed: 1}
		if r := audited(t, nats(1), o, pair(0.5)); r.Verdict != Refuted {
			t.Errorf("%s: %s", name, r.Verdict)
		}
		if r := audited(t, nats(1), o, pair(1)); r.Verdict == Refuted {
			t.Errorf("%s: a right one is refuted by %+v", name, r.Witness)
		}
	}
}

func TestResidue(t *testing.T) {
	for _, test := range []struct {
		x    float64
		m    int
		want float64
	}{{7, 3, 1}, {-7, 3, 2}, {6, 3, 0}, {-6, 3, 0}, {2.25, 1, 0.25}, {-2.25, 1, 0.75}, {1e300, 7, math.Mod(1e300, 7)}, {0, 12, 0}} {
		if got := residue(test.x, test.m); got != test.want {
			t.Errorf("%g modulo %d is %g, must be %g", test.x, test.m, got, test.want)
		}
	}
}
