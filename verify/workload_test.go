package verify

import (
	"fmt"
	"strings"
	"testing"

	"checkrr/impl"
	"checkrr/verify/rat"
)

// workloads are problems with one stop at the end, on which privacy accountants
// have been compared. There OptDel is the δ of optimal composition; the figures are
// the sums of Kairouz, Oh and Viswanath (2015), Theorem 3.3, and, for the mixed W3,
// of Murtagh and Vadhan (2016), Theorem 1.5, taken with 60 digits and more.
var workloads = []struct {
	name       string
	mechanisms string
	charge     string
	delta      string
}{
	{"W1", "0.1 0 x100", "1", "0.125688390240636425136502842344"},
	{"W1", "0.1 0 x100", "2", "0.0201401784281915318428452236507"},
	{"W1", "0.1 0 x100", "3", "0.00136139869483163759359282904263"},
	{"W2", "0.05 1e-8 x1000", "2", "0.170228245531966095748502482648"},
	{"W2", "0.05 1e-8 x1000", "5", "0.00308935841423988052362738366768"},
	{"W3", mixedWorkload(), "1.5", "0.0405542295187701327465415420506"},
	{"W3", mixedWorkload(), "3", "0.000479587708951753244713223660678"},
	{"W4", "0.01 0 x10000", "2", "0.0209158107072483573243919072499"},
	{"W7", "0.1 0 x100", "6", "6.2016390981837201602054941037e-10"},
	{"W7", "0.1 0 x100", "8", "1.7744698234629174232946643605e-17"},
	{"W7", "0.1 0 x100", "9.5", "4.2313166444475277338555815111e-26"},
}

// mixedWorkload is ε_j = 0.02 + 0.003·j, δ_j = 1e-9, for j = 0 … 59.
func mixedWorkload() string {
	var out []string
	for j := range 60 {
		out = append(out, fmt.Sprintf("%d/1000 1e-9", 20+3*j))
	}
	return strings.Join(out, ", ")
}

func TestPaper_Workloads(t *testing.T) {
	t.Parallel()
	for i, row := range workloads {
		ways := []impl.Options{auto, {RelWidth: 1e-15}, {Method: impl.Bracket, RelWidth: 1e-3}}
		if !*full {
			ways = ways[i%3 : i%3+1]
		}
		for _, o := range ways {
			t.Run(fmt.Sprint(row.name, " at ", row.charge, ", ", name(o)), func(t *testing.T) {
				t.Parallel()
				p := parse(row.mechanisms + " | 1 " + row.charge)
				p.stops[0].after = p.length()
				want := rounded(row.delta)
				r := solve(t, p, o)
				checkTruth(t, p, o, r, truths{"OptDel": want, "Lemma11": want, "SingleStop 1": want})
				if r.Shortfall != "" {
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
	return span{rat.Of(text).Sub(x, unit), rat.Of(text).Add(x, unit)}
}

func TestRounded(t *testing.T) {
	t.Parallel()
	if s := rounded("1.25e-3"); s.lo.Cmp(rat.Of("0.00124")) != 0 || s.hi.Cmp(rat.Of("0.00126")) != 0 {
		t.Errorf("1.25e-3 is read as %s", s)
	}
}
