package verify

import (
	"fmt"
	"strings"
	"testing"

	"checkrr/impl"
	"checkrr/verify/rat"
)

// extremes are problems at the ends of the domain. delta is OptDel; where it is empty, [enclosed] knows.
var extremes = []struct {
	name    string
	problem string
	delta   string
}{
	{"eps 0", "0 0 x3 | 1 0, 3 0", "0"},
	{"eps 0, delta tiny", "0 1e-300 | 1 0", "1e-300"},
	{"eps 0, a charge", "0 0.25 x2 | 1 1, 2 5", "0.4375"},
	{"eps 0, given as 1", "ln(1) 1e-30, ln(1) 0 | 2 ln(1)", "1e-30"},
	{"eps 1e-300", "1e-300 0 x2 | 2 0", ""},
	{"eps 800", "800 0 | 1 0", ""},
	{"eps 800, charge 799", "800 0 | 1 799", ""},
	{"eps 800, charge 800", "800 0 | 1 800", "0"},
	{"eps 800 twice", "800 0 x2 | 1 700, 2 1500", ""},
	{"eps 800 after others", "1 0 x2, 800 0 x2, 1 0 | 2 1, 5 1", ""},
	{"eps 800 and 1/500", "800 0 x2, 0.002 0 | 3 0", ""},
	{"eps ln(1e6)", "ln(1e6) 0 x3 | 2 ln(1e6), 3 ln(1e12)", ""},
	{"eps of many sizes", "1e-9 0, 1e-3 0, 1 0, 30 0 | 1 0, 2 1e-9, 4 1", ""},
	{"e^eps beyond float64", "ln(1e400) 1/3 x2, ln(3) 0 | 1 ln(1e300), 3 ln(1e400)", ""},
	{"charge beyond float64", "ln(3) 0.001 | 1 ln(1e400)", "0.001"},
	{"every run ends at the first stop", "800 0, 2.773 0 x2, 1/2 1/2 | 3 0, 4 1", ""},
	{"delta 1", "0.1 1 | 1 1000", "1"},
	{"delta 1 at the end", "0.1 0 x3, 0.1 1 | 3 0.1, 4 0.2", "1"},
	{"delta 1 everywhere", "0.1 1 x3 | 1 0, 2 0, 3 0", "1"},
	{"delta close to 1", "0.1 0.9999999999999999999999 x2 | 1 0, 2 0", ""},
	{"charge 0", "0.1 0 x6 | 2 0, 4 0, 6 0", ""},
	{"charge 1e200", "0.1 0 x5 | 5 1e200", "0"},
	{"charge 1e200, with delta", "0.1 1e-9 x5 | 2 1e200, 5 1e200", "4.999999990000000009999999995000000001e-9"},
	{"charge e^1e6 at one stop", "0.1 1e-9 x5 | 2 1000000, 5 0.1", ""},
	{"one mechanism", "0.1 0 | 1 0.05", ""},
	{"one mechanism, tie", "0.1 0 | 1 0.1", "0"},
	{"one mechanism, below a tie", "0.1 0 | 1 0.099999999999999999999", ""},
	{"one mechanism, above a tie", "0.1 1e-20 | 1 0.100000000000000000001", "1e-20"},
	{"a stop after each", "0.1 0 x8 | 1 0.1, 2 0.1, 3 0.1, 4 0.2, 5 0.2, 6 0.2, 7 0.3, 8 0.3", ""},
	{"ties at every stop", "0.1 0 x8 | 2 0.2, 4 0.2, 6 0.4, 8 0.4", ""},
	{"ties of logarithms", "ln(3/2) 0 x4, ln(9/4) 0 x2 | 2 ln(9/4), 4 ln(9/4), 6 ln(81/16)", ""},
	{"ties of both kinds", "ln(2) 0, 0.5 0, ln(3) 1/9 | 1 ln(2), 2 0.5, 3 ln(6)", ""},
	{"off a tie by 1e-15", "0.1 0 x4 | 2 0.200000000000001, 4 0.399999999999999", ""},
	{"no common unit", "0.1 0, 0.123456789 0, 0.314159265358979 0 | 1 0.01, 2 0.02, 3 0.1", ""},
}

func TestEdges(t *testing.T) {
	t.Parallel()
	for i, row := range extremes {
		ways := everyWay
		if !*full {
			ways = []impl.Options{auto, everyWay[1+i%3]}
		}
		p, want := parse(row.problem), truths{}
		if row.delta != "" {
			want["OptDel"] = rounded(row.delta)
		} else {
			want = enclosed(t, p)
		}
		for _, o := range ways {
			t.Run(row.name+", "+name(o), func(t *testing.T) {
				t.Parallel()
				checkTruth(t, p, o, solve(t, p, o), want)
			})
		}
	}
}

// figures are problems on which privacy accountants have been compared, and others with many mechanisms or far tails.
// delta is that of the last stop by itself: of optimal composition. It is the sum of Kairouz, Oh and Viswanath (2015),
// Theorem 3.3, and, for different ε, of Murtagh and Vadhan (2016), Theorem 1.5, taken with 60 digits and more.
var figures = []struct{ problem, delta string }{
	{"0.1 0 x100 | 100 1", "0.125688390240636425136502842344"},
	{"0.1 0 x100 | 100 2", "0.0201401784281915318428452236507"},
	{"0.1 0 x100 | 100 3", "0.00136139869483163759359282904263"},
	{"0.1 0 x100 | 100 6", "6.2016390981837201602054941037e-10"},
	{"0.1 0 x100 | 100 8", "1.7744698234629174232946643605e-17"},
	{"0.1 0 x100 | 100 9.5", "4.2313166444475277338555815111e-26"},
	{"0.05 1e-8 x1000 | 1000 2", "0.170228245531966095748502482648"},
	{"0.05 1e-8 x1000 | 1000 5", "0.00308935841423988052362738366768"},
	{rising + " | 60 1.5", "0.0405542295187701327465415420506"},
	{rising + " | 60 3", "0.000479587708951753244713223660678"},
	{"0.01 0 x10000 | 10000 2", "0.0209158107072483573243919072499"},
	{"0.1 0 x1000 | 1000 98", "2.7672439958330662476857855135534874014e-260"},
	{"0.1 0 x1000 | 1000 99.9", "1.3199351369436098150041915551474087241e-281"},
	{"0.1 0 x1070 | 1070 106.9", "3.3923342421433470298294175100448578708e-301"},
	{rationalTail, "2.18713608141714988177990915076592954257e-288"},
	{"0.001 1e-12 x1000000 | 1000000 2", "0.0209245366468433317619852107459135631549"},
	{"0.001 1e-12 x1000000 | 100000 1.1, 200000 1.2, 300000 1.3, 400000 1.4, 900000 1.9, 1000000 2",
		"0.0209245366468433317619852107459135631549"},
}

// rising is ε_j = 0.02 + 0.003·j, δ_j = 1e-9, for j = 0 … 59.
var rising = func() string {
	var steps []string
	for j := range 60 {
		steps = append(steps, fmt.Sprintf("%d/1000 1e-9", 20+3*j))
	}
	return strings.Join(steps, ", ")
}()

// rationalTail ends with a charge of half of its largest e^loss: only a run of 1s exceeds it, so δ = (3/4)^2300/2.
var rationalTail = "ln(3) 0 x2300 | 2300 ln(" + rat.Quo(rat.Power(rat.Of("3"), 2300), rat.Of("2")).RatString() + ")"

func TestPaper_Figures(t *testing.T) {
	t.Parallel()
	for _, row := range figures {
		p, want := parse(row.problem), rounded(row.delta)
		all := truths{fmt.Sprint("SingleStop ", len(p.stops)): want}
		ways := []impl.Options{auto, wide}
		if len(p.stops) == 1 {
			all["OptDel"], all["Lemma11"] = want, want
		}
		if isSlow := p.length() > 100 || len(p.mechanisms) > 1; p.length() > 20_000 || isSlow && !*full {
			ways = ways[:1]
		}
		for _, o := range ways {
			t.Run(fmt.Sprintf("%.30s, %s", row.problem, name(o)), func(t *testing.T) {
				t.Parallel()
				r := solve(t, p, o)
				if checkTruth(t, p, o, r, all); r.Shortfall != "" {
					t.Error(r.Shortfall)
				}
			})
		}
	}
}

// rounded returns the numbers that text can stand for: it may be off by one unit
// of its last digit.
func rounded(text string) span {
	digits, exponent, _ := strings.Cut(text, "e")
	_, fraction, _ := strings.Cut(digits, ".")
	unit := rat.Of(fmt.Sprintf("1e-%d", len(fraction)))
	if exponent != "" {
		unit.Mul(unit, rat.Of("1e"+exponent))
	}
	x := rat.Of(text)
	return span{rat.Sub(x, unit), rat.Add(x, unit)}
}
