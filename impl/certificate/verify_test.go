package certificate_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"checkrr/impl/certificate"
)

// Small files that once took all the time or memory there is. Each is checked, refused or cut by its time, and what
// it claims is never worse than nothing.
func TestVerify_LittleTime(t *testing.T) {
	t.Parallel()
	primes := ""
	product := big.NewInt(1)
	for p := int64(2); p < 180; p++ {
		if x := big.NewInt(p); x.ProbablyPrime(0) {
			primes += fmt.Sprintf(`{"exp_eps":"%d","delta":"0","count":2},`, p)
			product.Mul(product, x.Mul(x, x))
		}
	}
	charges := ""
	for i := range 300 {
		charges += fmt.Sprintf(`{"after":%d,"exp_eps":"%d"},`, i+1, i+2)
	}
	charges += `{"after":2000300,"eps":"1"}`
	states := func(mechanisms, stop string) string {
		return `{"schema_version":1,"claims":[{"problem":{"mechanisms":[` + mechanisms + `],"stops":[` + stop +
			`]},"proof":{"method":"states","bits":64,"thresholds":[null]},"optdel":{"lower":"0","upper":"1"}}]}`
	}
	lattice := func(mechanism, stop, unit string) string {
		return strings.Replace(states(mechanism, stop), `"method":"states","bits":64`,
			`"method":"lattice","cut":0,"upper":{"unit":{"eps":"`+unit+`"},"windows":[[-5,0]]}`, 1)
	}
	manyNoises := strings.TrimSuffix(strings.Repeat(`{"noise":{"law":"gaussian","scale":"1","sampling":"0.01",`+
		`"added":false},"count":5},`, 100), ",")
	grid := func(mechanisms, stop, unit string) string {
		tops := strings.TrimSuffix(strings.Repeat(`"20",`, strings.Count(mechanisms, "noise")), ",")
		windows := strings.TrimSuffix(strings.Repeat("[-100000,0],", strings.Count(mechanisms, "noise")), ",")
		l := `{"unit":{"eps":"` + unit + `"},"windows":[` + windows + `]}`
		return strings.Replace(states(mechanisms, stop), `"method":"states","bits":64`,
			`"method":"grid","cut":1e-300,"tops":[`+tops+`],"upper":`+l+`,"lower":`+l, 1)
	}
	for name, text := range map[string]string{
		"a factor 100000 times": states(`{"exp_eps":"2","delta":"0","count":1}`, `{"after":1,"exp_eps":"1e100000"}`),
		"exponents far apart":   states(`{"eps":"1e5","delta":"0","count":16000}`, `{"after":16000,"eps":"1"}`),
		"the same on a lattice": lattice(`{"eps":"1e5","delta":"0","count":16000}`, `{"after":16000,"eps":"1"}`, "2e5"),
		"leaks again and again": states(`{"eps":"0","delta":"0.999999","count":1073741824}`,
			`{"after":1073741824,"eps":"1"}`),
		"logarithms that cancel": states(`{"exp_eps":"2","delta":"0","count":2},{"eps":"1e-100000","delta":"0",`+
			`"count":1}`, `{"after":3,"exp_eps":"4"}`),
		"a product of many primes": states(strings.TrimSuffix(primes, ","),
			fmt.Sprintf(`{"after":82,"exp_eps":"%d"}`, product)),
		"noise on a fine lattice": grid(`{"noise":{"law":"gaussian","scale":"1","sampling":"0.01","added":false},`+
			`"count":1000000000}`, `{"after":1000000000,"eps":"1"}`, "1e-9"),
		"noise with large losses": grid(`{"noise":{"law":"gaussian","scale":"0.1","sampling":"1","added":false},`+
			`"count":1000000}`, `{"after":1000000,"eps":"1"}`, "1e-3"),
		"many laws of noise": grid(manyNoises, `{"after":500,"eps":"1"}`, "1e-6"),
		"many atoms": lattice(`{"eps":"1e-3","delta":"0","count":1073741824}`,
			`{"after":1073741824,"eps":"1"}`, "2e-3"),
		"many atoms and nodes": strings.Replace(lattice(`{"eps":"1e-6","delta":"0","count":200000},{"eps":"1e-6",`+
			`"delta":"1e-9","count":200000}`,
			`{"after":400000,"eps":"0.001"}`, "2e-6"), "[[-5,0]]", "[[-199990,0],[-400000,0]]", 1),
		"charges are many logarithms": strings.Replace(states(`{"eps":"0","delta":"0","count":300},`+
			`{"exp_eps":"1993","delta":"0","count":2000000}`, charges), "[null]",
			"["+strings.Repeat("null,", 300)+"null]", 1),
		"states are long numbers": states(`{"eps":"1","delta":"0","count":4000000}`,
			`{"after":4000000,"eps":"1e-100000"}`),
		"many states": states(`{"eps":"0.1","delta":"0","count":16000000}`,
			`{"after":16000000,"eps":"1"}`),
	} {
		t.Run(name, func(t *testing.T) {
			claims, err := certificate.Read(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second/10)
			defer cancel()
			err = claims[0].Verify(ctx) // for minutes, once
			if failure, isFailure := errors.AsType[*certificate.Failure](err); isFailure {
				t.Error(failure)
			}
		})
	}
}

// Two losses next to each other, of which rounding takes the smaller one for nearer to the upper node: a claim that is
// false was held, and a true one made the checker crash.
func TestVerify_NearTheMiddle(t *testing.T) {
	t.Parallel()
	const law = `{"law": [["1/2", ` +
		`"1250000000000000000000000000000000000000/2868922491546325124397265286347942065557"], ` +
		`["1/4", "12951379932370600995178135242163468895057/45902759864741201990356244581567073048912"], ` +
		`["1/4", "12951379932370600995178109339403604153855/45902759864741201990356244581567073048912"]], "count": 1}`
	file := func(mechanisms, after, charge, lower, windows, thresholds, claimed string) string {
		return `{"schema_version": 1, "claims": [{"problem": {"mechanisms": [` + mechanisms +
			`], "stops": [{"after": ` + after + `, "eps": "` + charge + `"}]}, ` +
			`"proof": {"method": "grid", "cut": 0, "upper": {"unit": {"eps": "0.001"}, "windows": [` + windows +
			`]}, ` +
			`"lower": {"unit": {"eps": "0.517234495917530734399036873583099804818630218505859375"}, "windows": [` +
			lower + `]}, "thresholds": [` + thresholds + `]}, ` +
			`"optdel": {"lower": "` + claimed + `", "upper": "1"}}]}`
	}
	before := `{"eps": "0", "delta": "0", "count": 1}, {"eps": "0.0077", "delta": "0", "count": 100}, {"eps": "0", ` +
		`"delta": "0", "count": 1}, `
	windows := "[-1, 0], [-100000, 0], [-100000, 0], [-100000, 0]"
	for text, isFalse := range map[string]bool{
		file(before+law, "103", "0.7", "[0, 0], [-2, 0], [-2, 0], [-3, 0]", windows, "0", "0.02"): true,
		file(before+law, "103", "0.7", "[0, 0], [-2, 0], [-2, 0], [-3, 0]", windows, "0", "0"):    false,
		file(law, "1", "0.01", "[-3, 0]", "[-100000, 0]", "0", "0"):                               false,
	} {
		claims, err := certificate.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		err = claims[0].Verify(t.Context())
		if failure, ok := errors.AsType[*certificate.Failure](err); ok != isFalse || ok && !failure.IsFalse || !ok &&
			err != nil {
			t.Errorf("%v, false: %v\n%s", err, isFalse, text)
		}
	}
}

// Claims that are false, with hints that once made a checker believe them: a charge above the losses that are node 0,
// masses and values beyond float64, a mass of Q that may or may not be 1. None is accepted.
func TestVerify_False(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/false/*.json")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		claims, err := certificate.Read(file)
		if err != nil {
			t.Fatal(name, err)
		}
		for i, c := range claims {
			if c.Verify(t.Context()) == nil {
				t.Errorf("%s: claim %d is accepted", name, i+1)
			}
		}
	}
}

// TestVerify_MuchLeftOut: where so much may be left out that nothing is known, lower ends are 0: that of what was
// lost was above all others.
func TestVerify_MuchLeftOut(t *testing.T) {
	t.Parallel()
	for i, c := range claims(t) {
		for _, cut := range []float64{1e-3, 0.1, 0.3, 0.5, 0.9} {
			c.Hints.Cut = cut
			var failure *certificate.Failure
			if err := c.Verify(t.Context()); err != nil && !(errors.As(err, &failure) && !failure.IsFalse) {
				t.Errorf("claim %d, cut %v: %v", i+1, cut, err)
			}
		}
	}
}
