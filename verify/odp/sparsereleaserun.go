package odp

import (
	"math"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// releaseWords is the sparse vector release once more, from the words. It says what is different in it: nothing, if it
// is zero.
type releaseWords struct {
	shareOfC bool    // each entry gets a share of c, even if fewer are released
	first    bool    // the entries after the first ⊥ are not looked at
	noise    float64 // the noise on the values is larger by this times it
}

// run returns what is released.
func (w releaseWords) run(f []float64, threshold, delta float64, c int, eps1, eps2, eps3 float64,
	noise impl.Noise) (indices []int, values []float64) {
	rho := noise.Laplace(delta / eps1)
	for i, v := range f {
		if len(indices) == c {
			break
		}
		if math.Abs(v)+noise.Laplace(2*float64(c)*delta/eps2) >= threshold+rho {
			indices = append(indices, i)
		} else if w.first {
			break
		}
	}
	released := float64(len(indices))
	left, entries := eps3+(float64(c)-released)/float64(c)*eps2, released
	if w.shareOfC {
		entries = float64(c)
	}
	for _, i := range indices {
		values = append(values, f[i]+noise.Laplace((1+w.noise)*delta*entries/left))
	}
	return indices, values
}

// releaseRuns checks that the programs of both rooms do on tapes what the words say.
func releaseRuns(words releaseWords) register.Check {
	return func(t *register.T) {
		n := t.Size(400, 20000)
		t.AlsoDomain("%d tapes for runs on up to 8 entries in −6 to 6, T from 0 to 4, c ≤ 6, Δ in {1, 1/2, 4}", n)
		t.Random(18, n, func(t *register.T, d register.Dice) {
			var f, draws []float64
			for range d.Roll(9) {
				f = append(f, float64(d.Roll(13)-6))
			}
			for range 17 {
				draws = append(draws, float64(d.Roll(17)-8)/16)
			}
			c, threshold, delta := 1+d.Roll(6), float64(d.Roll(5)), []float64{1, 0.5, 4}[d.Roll(3)]
			eps1, eps2, eps3 := math.Ldexp(1, -d.Roll(3)), math.Ldexp(float64(c), -d.Roll(3)), math.Ldexp(1, -d.Roll(3))
			tapes := [3]*finite.Tape{{Draws: draws}, {Draws: draws}, {Draws: draws}}
			want, wantValues := words.run(f, threshold, delta, c, eps1, eps2, eps3, tapes[0])
			bySpec, specValues, err := spec.RunSparseRelease(f, threshold, delta, c, eps1, eps2, eps3, tapes[1])
			t.Must(err)
			byImpl, implValues, err := impl.RunSparseRelease(f, threshold, delta, c, eps1, eps2, eps3, tapes[2])
			t.Must(err)
			near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }
			if !slices.Equal(bySpec, want) || !slices.Equal(byImpl, want) || !slices.EqualFunc(specValues, wantValues, near) ||
				!slices.EqualFunc(implValues, wantValues, near) || !sameDraws(tapes[:]...) {
				t.Refute("entries %v, T = %g, Δ = %g, c = %d, ε_1 = %g, ε_2 = %g, ε_3 = %g, draws %v: by spec %v, %.12g with "+
					"scales %.6g; by impl %v, %.12g with scales %.6g; claimed %v, %.12g with scales %.6g",
					f, threshold, delta, c, eps1, eps2, eps3, draws, bySpec, specValues, tapes[1].Scales, byImpl, implValues,
					tapes[2].Scales, want, wantValues, tapes[0].Scales)
			}
		})
	}
}
