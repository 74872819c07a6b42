package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"checkrr/impl/certificate"
	"checkrr/impl/certify"
)

func ratio(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%s is not a number", text)
	}
	return r
}

func nats(t *testing.T, text string) certify.Number {
	return certify.Number{Value: ratio(t, text)}
}

// claims returns one claim for each method of a proof.
func claims(t *testing.T) []*certificate.Claim {
	t.Helper()
	unequal := certify.Problem{
		Mechanisms: []certify.Mechanism{
			{Eps: nats(t, "0.3"), Delta: ratio(t, "1e-3"), Count: 3},
			{Eps: certify.Number{Value: ratio(t, "4/3"), Log: true}, Delta: ratio(t, "1/700"), Count: 2},
		},
		Stops: []certify.Stop{{After: 2, Eps: nats(t, "0.1")}, {After: 5, Eps: nats(t, "0.2")}},
	}
	equal := certify.Problem{
		Mechanisms: []certify.Mechanism{{Eps: nats(t, "0.05"), Delta: ratio(t, "1e-11"), Count: 20}},
		Stops:      []certify.Stop{{After: 10, Eps: nats(t, "0.2")}, {After: 20, Eps: nats(t, "1/3")}},
	}
	scale, sampling := ratio(t, "1.5"), ratio(t, "0.1")
	gaussian := certify.Additive{Noise: certify.Gaussian, Scale: scale, Sampling: sampling, Added: true}
	noise := certify.Problem{
		Mechanisms: []certify.Mechanism{
			{Additive: &gaussian, Count: 30},
			{Eps: nats(t, "0.3"), Delta: ratio(t, "1e-3"), Count: 1},
		},
		Stops: []certify.Stop{{After: 15, Eps: nats(t, "0.3")}, {After: 31, Eps: nats(t, "0.5")}},
	}
	l, err := certify.NewLosses([][2]*big.Rat{
		{ratio(t, "-3/8"), ratio(t, "0.3")}, {ratio(t, "-1e-7"), ratio(t, "1e-9")}, {ratio(t, "0.4"), ratio(t, "0.65")},
	})
	if err != nil {
		t.Fatal(err)
	}
	losses := certify.Problem{
		Mechanisms: []certify.Mechanism{{Losses: l, Count: 4}, {Losses: l.Reversed(), Count: 2}},
		Stops:      []certify.Stop{{After: 3, Eps: nats(t, "0.3")}, {After: 6, Eps: nats(t, "0.5")}},
	}
	s, err := certify.NewSampled(ratio(t, "0.1"), []certify.Mechanism{
		{Additive: &certify.Additive{Noise: certify.Laplace, Scale: scale, Sampling: ratio(t, "1")}, Count: 2},
		{Eps: nats(t, "0.2"), Delta: ratio(t, "1e-6"), Count: 1}, {Losses: l, Count: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	sampled := certify.Problem{
		Mechanisms: []certify.Mechanism{{Sampled: s, Count: 4}, {Sampled: s.Reversed(), Count: 2}},
		Stops:      []certify.Stop{{After: 3, Eps: nats(t, "0.1")}, {After: 6, Eps: nats(t, "0.2")}},
	}
	tops := []*big.Rat{ratio(t, "5"), ratio(t, "5"), nil}
	topsOfLosses := []*big.Rat{ratio(t, "1.2"), ratio(t, "0.4"), ratio(t, "0.8")}
	upper, lower := certify.Lattice{Unit: nats(t, "0.01")}, &certify.Lattice{Unit: nats(t, "0.02")}
	var xs []*certificate.Claim
	for _, x := range []struct {
		certify.Problem
		certify.Hints
	}{
		{equal, certify.Hints{Upper: certify.Lattice{Unit: nats(t, "0.1")}, Cut: 1e-28, Floor: 1e-26}},
		{unequal, certify.Hints{Upper: upper, Lower: lower, Cut: 1e-28, Floor: 1e-26}},
		{unequal, certify.Hints{Bits: 96}},
		{noise, certify.Hints{Upper: upper, Lower: lower, Cut: 1e-20, Floor: 1e-18, NodeZero: tops,
			Tilts: []float64{3, 2.5, 2}, Steeper: 2}},
		{losses, certify.Hints{Upper: upper, Lower: lower, Cut: 1e-20, Floor: 1e-18, NodeZero: topsOfLosses,
			Tilts: []float64{1, 1, 1}}},
		{sampled, certify.Hints{Upper: upper, Lower: lower, Cut: 1e-20, Floor: 1e-18,
			NodeZero: []*big.Rat{ratio(t, "2"), ratio(t, "1"), ratio(t, "1")}, Tilts: []float64{1, 1, 1}}},
	} {
		b, err := certify.Check(context.Background(), x.Problem, x.Hints)
		if err != nil {
			t.Fatal(err)
		}
		c, err := certificate.New(context.Background(), b, certificate.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		xs = append(xs, c)
	}
	return xs
}

func file(t *testing.T, xs []*certificate.Claim) string {
	t.Helper()
	var b bytes.Buffer
	if err := certificate.Write(&b, xs...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestClaimsHold writes, reads and verifies claims; written again they are the same.
func TestClaimsHold(t *testing.T) {
	t.Parallel()
	text := file(t, claims(t))
	back, err := certificate.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range back {
		if err := c.Verify(context.Background()); err != nil {
			t.Errorf("claim %d: %v\n%s", i+1, err, text)
		}
	}
	if again := file(t, back); again != text {
		t.Errorf("written again, the file is\n%s\nnot\n%s", again, text)
	}
}

// TestFalseClaimsFail moves every number that is claimed by a little more than the width.
func TestFalseClaimsFail(t *testing.T) {
	t.Parallel()
	for i := range claims(t) {
		for _, x := range []struct {
			number string
			change func(*certificate.Claim)
		}{
			{"optdel lower", func(c *certificate.Claim) { c.OptDel.Lower = c.OptDel.Upper }},
			{"optdel upper", func(c *certificate.Claim) { c.OptDel.Upper = c.OptDel.Lower }},
			{"lemma11 upper", func(c *certificate.Claim) { c.Lemma11.Upper = c.Lemma11.Lower }},
			{"single_stop 2 lower", func(c *certificate.Claim) { c.SingleStop[1].Lower = c.SingleStop[1].Upper }},
			{"at_most", func(c *certificate.Claim) { c.AtMost = c.OptDel.Lower }},
			{"more_than", func(c *certificate.Claim) { c.MoreThan = c.OptDel.Upper }},
		} {
			c := claims(t)[i]
			x.change(c)
			failure, ok := errors.AsType[*certificate.Failure](c.Verify(context.Background()))
			if !ok || failure.Number != x.number {
				t.Errorf("claim %d with another %s: %v", i+1, x.number, failure)
			}
		}
	}
}

// refusedWith fails unless a text with something else in one place is refused, and the error says why.
func refusedWith(t *testing.T, text, old, other, want string) {
	t.Helper()
	broken := strings.Replace(text, old, other, 1)
	if broken == text {
		t.Errorf("there is no %s in the file", old)
	}
	if _, err := certificate.Read(strings.NewReader(broken)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s for %s: %v, want %s", other, old, err, want)
	}
}

// TestReadFaults breaks files; every fault is named with its place.
func TestReadFaults(t *testing.T) {
	t.Parallel()
	text := file(t, claims(t)[:1])
	for _, x := range []struct{ old, new, want string }{
		{`{"schema`, `["schema`, "byte 17"},
		{`]}` + "\n", "", "the file ends too early"},
		{`]}` + "\n", "]} 1", "there is something behind the end"},
		{`"schema_version":1`, `"schema_version":2`, "schema_version must be the number 1"},
		{`"schema_version":1`, `"schema_version":1,"schema_version":1`, `"schema_version" is given twice`},
		{`"count":20`, `"count":2.5`, "claims[0].problem.mechanisms[0].count must be a whole number"},
		{`"count":20`, `"count":21`, "claims[0].problem: the last stop is after 20"},
		{`"eps":"0.05"`, `"eps":0.05`, "claims[0].problem.mechanisms[0].eps must be a number in quotes"},
		{`"eps":"0.05"`, `"eps":"1/0"`, "claims[0].problem.mechanisms[0].eps must be a number in quotes"},
		{`"eps":"0.05"`, `"eps":"1e1000000000"`, "claims[0].problem.mechanisms[0].eps must be a number in quotes"},
		{`"eps":"0.05"`, `"eps":"0x1"`, "claims[0].problem.mechanisms[0].eps must be a number in quotes"},
		{`"eps":"0.05"`, `"Eps":"0.05"`, `claims[0].problem.mechanisms[0] has the unknown key "Eps"`},
		{`"eps":"0.05"`, `"eps":"0.05","exp_eps":"2"`,
			"claims[0].problem.mechanisms[0] must have either eps or exp_eps"},
		{`"delta":"1e-11",`, ``, "claims[0].problem.mechanisms[0] has no delta"},
		{`"method":"lattice"`, `"method":"magic"`, "claims[0].proof.method must be lattice, grid or states"},
		{`"method":"lattice"`, `"method":"grid"`, "claims[0].proof has no lower"},
		{`"method":"lattice"`, `"method":"states"`, "claims[0].proof has no bits"},
		{`"windows":[[`, `"windows":[[0,`, "claims[0].proof.upper.windows[0] must be a list of two whole numbers"},
		{`"thresholds":[`, `"thresholds":[1,`, "claims[0].proof.thresholds has 3 entries, must have 2, one a stop"},
		{`"thresholds":[`, `"thresholds":[1e999,`, "claims[0].proof.thresholds[0] must be a number within"},
		{`"claims":[{`, `"claims":[[[[[[[[[[[[[`, "values are nested more than 12 deep"},
	} {
		refusedWith(t, text, x.old, x.new, x.want)
	}
}

// keys are the members of an object with so many keys.
func keys(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"%d":1`, i))
	}
	return strings.Join(all, ",")
}

// TestRead_Long: files that are short on a disk and long in memory, and names that are long, are refused in few words.
func TestRead_Long(t *testing.T) {
	t.Parallel()
	noise := file(t, claims(t)[3:4])
	for want, text := range map[string]string{
		"the file has more than 4194304 commas and opening brackets": "[" + strings.Repeat("[],", 1<<21) + "[]]",
		"the file is too long, must have at most 67108864 bytes": "[" + strings.Repeat(strings.Repeat(" ", 999)+"1,",
			1<<26/1000),
		"the file has a value or a space of more than 1048576 bytes": strings.Repeat("1", 1<<20+1),
		"there are more than 64 different keys":                      "{" + keys(65) + "}",
		`noise is "` + strings.Repeat("x", 40) + `", must be gaussian`: strings.Replace(noise, `"law":"gaussian"`,
			`"law":"`+strings.Repeat("x", 1000)+`"`, 1),
	} {
		_, err := certificate.Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%.400v, want %s", err, want)
		}
	}
}

// TestReadFaults_Noise breaks what is said of noise.
func TestReadFaults_Noise(t *testing.T) {
	t.Parallel()
	text := file(t, claims(t)[3:4])
	for _, x := range []struct{ old, new, want string }{
		{`"law":"gaussian"`, `"law":"cauchy"`, `noise is "cauchy", must be gaussian, laplace or discrete_gaussian`},
		{`"law":"gaussian"`, `"law":"gdp"`, "noise.law must be gaussian, laplace or discrete_gaussian"},
		{`"scale":"1.5"`, `"scale":"0"`, "the scale of the noise must be between 0.002 and 1e9"},
		{`"sampling":"0.1"`, `"sampling":"1.1"`, "sampling must be between 1e-9 and 1"},
		{`"added":true`, `"added":1`, "claims[0].problem.mechanisms[0].noise.added must be true or false"},
		{`"added":true`, `"added":true,"eps":"1"`, `has the unknown key "eps"`},
		{`"tops":["5","5",null]`, `"tops":["5",-5,null]`, "claims[0].proof.tops[1] must be a number in quotes"},
		{`"steeper":2`, `"steeper":"2"`, "claims[0].proof.steeper must be a whole number"},
		{`"tilts":[3,`, `"tilts":["3",`, "claims[0].proof.tilts[0] must be a number within the range of float64"},
	} {
		refusedWith(t, text, x.old, x.new, x.want)
	}
	for _, x := range []struct{ old, new, want string }{
		{`"tops":["5","5",null]`, `"tops":["5"]`, "run 2 has noise, or losses, must have a top of at least 0"},
		{`"tops":["5","5",null]`, `"tops":["5","6",null]`, "run 2 has another top than an equal one"},
		{`"steeper":2`, `"steeper":9`, "steeper is 9, must be between 0 and 8"},
		{`"tilts":[3,`, `"tilts":[-3,`, "tilts must be one a run, at least 0 and less than 1e9"},
		{`"tilts":[3,`, `"tilts":[3,3,`, "tilts must be one a run, at least 0 and less than 1e9"},
	} {
		claims, err := certificate.Read(strings.NewReader(strings.Replace(text, x.old, x.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if err := claims[0].Verify(t.Context()); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s for %s: %v, want %s", x.new, x.old, err, x.want)
		}
	}
}

// TestReadFaults_Losses breaks what is said of losses.
func TestReadFaults_Losses(t *testing.T) {
	t.Parallel()
	text := file(t, claims(t)[4:])
	const first = `"losses":[["-0.375","0.3"],["-1e-7","1e-9"],["0.4","0.65"]],"reversed":false`
	for _, x := range []struct{ new, want string }{
		{`"losses":[],"reversed":false`, "claims[0].problem.mechanisms[0].losses: there are 0 losses"},
		{`"losses":[["0","1"]]`, "claims[0].problem.mechanisms[0] has no reversed"},
		{`"losses":[["0","1"]],"reversed":0`, "claims[0].problem.mechanisms[0].reversed must be true or false"},
		{`"losses":[["0","1"]],"reversed":false,"delta":"0"`, `has the unknown key "delta"`},
		{`"losses":[["0","-1"]],"reversed":false`,
			"losses: loss 1 or its mass is no number, or the mass is not above 0"},
		{`"losses":[["--1","1"]],"reversed":false`,
			"claims[0].problem.mechanisms[0].losses[0][0] must be a number in quotes"},
		{`"losses":[["0","0.1","1"]],"reversed":false`,
			"claims[0].problem.mechanisms[0].losses[0] must be a list of two numbers"},
		{`"losses":[["1","0.1"],["0.5","0.1"]],"reversed":false`, "losses: loss 2 is not above the one before it"},
		{`"losses":[["1","0.6"],["2","0.6"]],"reversed":false`, "losses: the masses sum to more than 1"},
		{`"losses":[["-1","0.6"]],"reversed":true`, "losses: the masses under Q, mass·e^−loss, sum to about 1.63"},
	} {
		refusedWith(t, text, first, x.new, x.want)
	}
}

// TestReadFaults_Sampled breaks what is said of a sample.
func TestReadFaults_Sampled(t *testing.T) {
	t.Parallel()
	text := file(t, claims(t)[5:])
	const at = "claims[0].problem.mechanisms[0].sampled"
	const rate, added = `"sampled":{"rate":"0.1",`, `}],"added":false}`
	const inner = `{"eps":"0.2","delta":"1e-6","count":1}`
	for _, x := range []struct{ old, new, want string }{
		{rate, `"sampled":{`, at + " has no rate"},
		{rate, `"sampled":{"rate":"2",`, at + ": rate must be between 1e-9 and 1"},
		{rate, `"sampled":{"rate":"0.1","delta":"0",`, at + ` has the unknown key "delta"`},
		{added, `}],"added":0}`, at + ".added must be true or false"},
		{added, `}]}`, at + " has no added"},
		{inner, `{"eps":"0.2","delta":"2","count":1}`, at + ": mechanism 2: delta must be between 0 and 1"},
		{inner, `{"eps":"700","delta":"0","count":1}`, at + ": mechanism 2: losses of what sees a sample must be between"},
		{inner, `{"eps":"0.2","delta":"0","count":0}`, at + ": mechanism 2: count is 0"},
		{inner, `{"sampled":{},"count":1}`, at + ".mechanisms[1] must not be sampled, as it is within a sample"},
		{inner, `{"losses":[["0","1"]],"reversed":true,"count":1}`,
			at + ": mechanism 2: what sees a sample must be given for neighbours of which the first has the record"},
	} {
		refusedWith(t, text, x.old, x.new, x.want)
	}
}

// FuzzRead reads what may be no certificate: whatever is read can be written and read again.
func FuzzRead(f *testing.F) {
	const oneStop = `{"schema_version":1,"claims":[{"problem":{"mechanisms":[%s],"stops":[{"after":1,"eps":"0"}]},` +
		`"proof":{"method":"states","bits":64,"thresholds":[null]},"optdel":{"lower":"0.5","upper":"1/2"}}]}`
	f.Add(fmt.Sprintf(oneStop, `{"exp_eps":"3","delta":"0","count":1}`))
	f.Add(fmt.Sprintf(oneStop, `{"losses":[["-0.25","1/8"],["1e-9","0.5"]],"reversed":true,"count":1}`))
	f.Fuzz(func(t *testing.T, text string) {
		xs, err := certificate.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := certificate.Read(strings.NewReader(file(t, xs))); err != nil {
			t.Fatal(err)
		}
	})
}

// What is found again from a certificate is what was found: the rule in it is the same rule, on whatever
// nodes it begins.
func TestNew_AsNarrow(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 11))
		eps := big.NewRat(rng.Int64N(20)+1, 100)
		p := certify.Problem{Mechanisms: []certify.Mechanism{{Eps: certify.Number{Value: eps},
			Delta: new(big.Rat), Count: 100}}}
		for after := 10 + rng.IntN(40); after <= 100; after += 10 + rng.IntN(40) {
			p.Stops = append(p.Stops, certify.Stop{After: after})
		}
		p.Stops[len(p.Stops)-1].After = 100
		for i := range p.Stops {
			charge := new(big.Rat).Mul(eps, big.NewRat(10+int64(i)+rng.Int64N(10), 1))
			p.Stops[i].Eps = certify.Number{Value: charge}
		}
		unit := certify.Number{Value: new(big.Rat).Mul(eps, big.NewRat(2, 1))}
		b, err := certify.Check(t.Context(), p, certify.Hints{Upper: certify.Lattice{Unit: unit},
			Floor: 1e-26, Cut: 1e-28})
		if err != nil {
			t.Fatal(err)
		}
		c, err := certificate.New(t.Context(), b, certificate.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		lower, _ := c.OptDel.Lower.Float64()
		upper, _ := c.OptDel.Upper.Float64()
		found, _ := b.OptDel.Lower.Float64()
		if upper-lower > 1e-10*upper || lower < found*(1-1e-11) {
			t.Errorf("%d: found was %v, certified is between %g and %g", seed, b.OptDel.Lower, lower, upper)
		}
	}
}

// A claim without OptDel, or no claim, is an error and no crash.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := certificate.Write(&b); err == nil || b.Len() > 0 {
		t.Errorf("no claims: %v, %q", err, b.String())
	}
	one := big.NewRat(1, 1)
	p := certify.Problem{
		Mechanisms: []certify.Mechanism{{Eps: certify.Number{Value: one}, Delta: new(big.Rat), Count: 1}},
		Stops:      []certify.Stop{{After: 1, Eps: certify.Number{Value: one}}},
	}
	if err := certificate.Write(&b, &certificate.Claim{Problem: p}); err == nil || b.Len() > 0 {
		t.Errorf("no OptDel: %v, %q", err, b.String())
	}
	if err := (&certificate.Claim{Problem: p}).Verify(t.Context()); err == nil {
		t.Error("no OptDel: verified")
	}
	if _, err := (&certificate.Claim{Problem: certify.Problem{
		Mechanisms: []certify.Mechanism{{Eps: certify.Number{Value: one, Log: true}, Delta: new(big.Rat), Count: 1}},
		Stops:      []certify.Stop{{After: 1, Eps: certify.Number{Value: one, Log: true}}},
	}}).VerifyExact(t.Context()); err == nil {
		t.Error("no OptDel: verified exactly")
	}
}
