package command

import (
	"encoding/csv"
	"flag"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

var figures = flag.Bool("figures", false, "measure and draw anew what docs/gap.md shows")

// TestGapFigures measures how much Theorem 15 of the ODP paper gains over Lemma 11, on families of pipelines: what the
// paper leaves open (ODP-X24). With -figures it writes the pictures and the data of docs/gap.md.
func TestGapFigures(t *testing.T) {
	t.Parallel()
	if !*figures {
		t.Skip("with -figures only")
	}
	for _, w := range gapSweeps {
		curves := w.measure(t)
		file := filepath.Join("..", "..", "..", "docs", "gap-"+w.name)
		if err := os.WriteFile(file+".csv", gapCSV(t, curves), 0o666); err != nil {
			t.Fatal(err)
		}
		if w.name != "dpsgd" {
			drawGap(t, w, curves, file+".svg")
		}
	}
}

// TestGap measures some points of the figure over the number of stops again.
func TestGap(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../../docs/gap-stops.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, stops := range []string{"1", "10", "100"} {
		i := slices.IndexFunc(lines, func(line []string) bool { return line[3] == "even" && line[2] == stops })
		s := gapBase
		s.stops = int(ratOf(stops).Num().Int64())
		got := s.measure(t, 0).row()
		const optDel, savedAtEnd = 11, 17
		for _, column := range []int{optDel, savedAtEnd} {
			want, found := ratOf(lines[i][column]), ratOf(got[column-1])
			if want.Sub(want, found).Abs(want).Cmp(found.Mul(found, ratOf("1e-6"))) > 0 {
				t.Errorf("%s stops: %s is %s, on record %s", stops, gapColumns[column], got[column-1], lines[i][column])
			}
		}
	}
}

// gapSetting is one pipeline of the families.
type gapSetting struct {
	eps        *big.Rat        // of a mechanism, the mean one if they differ
	mechanism  *impl.Mechanism // what all are instead; nil if there is none
	mechanisms int
	stops      int
	positions  gapPositions
	spread     *big.Rat // the largest ε is eps·(1 + spread), the smallest eps·(1 − spread)
	order      string   // rising or falling
	delta      *big.Rat // of a single stop, or of the whole
}

// gapBase is what is varied.
var gapBase = gapSetting{eps: ratOf("0.05"), mechanisms: 1000, stops: 1, positions: even, spread: new(big.Rat),
	order: "rising", delta: ratOf("1e-6")}

// gapPositions says where n stops in k mechanisms are: the i-th after about k·i/n of them, k·(i/n)², or k·(1 − (1 −
// i/n)²). The last stop is always the end.
type gapPositions string

const (
	even  gapPositions = "even"
	early gapPositions = "early"
	late  gapPositions = "late"
)

// places returns after how many mechanisms the stops are.
func (s gapSetting) places() []int {
	k, n := s.mechanisms, s.stops
	places, last := make([]int, n), 0
	for i := range places {
		next := k * (i + 1) / n
		if s.positions != even {
			next = k * (i + 1) * (i + 1) / (n * n)
		}
		last = max(last+1, next)
		places[i] = last
	}
	if s.positions == late { // the mirror image of early, but for the end
		for i, j := 0, n-2; i <= j; i, j = i+1, j-1 {
			places[i], places[j] = k-places[j], k-places[i]
		}
	}
	return places
}

func TestGapPlaces(t *testing.T) {
	t.Parallel()
	for positions, want := range map[gapPositions][]int{even: {20, 40, 60, 80, 100}, early: {4, 16, 36, 64, 100},
		late: {36, 64, 84, 96, 100}} {
		if got := (gapSetting{mechanisms: 100, stops: 5, positions: positions}).places(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", positions, got, want)
		}
	}
}

// pipeline returns the pipeline, with all charges 0.
func (s gapSetting) pipeline() (p impl.Pipeline) {
	if s.mechanism != nil {
		p.Mechanisms = []impl.Mechanism{*s.mechanism}
		p.Mechanisms[0].Count = s.mechanisms
	} else {
		for j := range s.mechanisms {
			p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Eps: loss.Nats(s.epsOf(j)), Delta: new(big.Rat),
				Count: 1})
		}
	}
	for _, after := range s.places() {
		p.Stops = append(p.Stops, impl.Stop{After: after, Eps: loss.Nats(new(big.Rat))})
	}
	return p
}

// epsOf returns the ε of mechanism j, from 0: a multiple of a twentieth of eps, so that all losses lie on a lattice.
func (s gapSetting) epsOf(j int) *big.Rat {
	const steps = 20
	at := big.NewRat(int64(2*j+1-s.mechanisms), int64(s.mechanisms)) // from −1 to 1
	if s.order == "falling" {
		at.Neg(at)
	}
	at.Mul(at, s.spread)
	at.Add(at, big.NewRat(1, 1))
	at.Mul(at, big.NewRat(steps, 1))
	at.Add(at, big.NewRat(1, 2))
	n := new(big.Int).Quo(at.Num(), at.Denom()) // rounded
	return at.Mul(s.eps, at.SetFrac(n, big.NewInt(steps)))
}

// gapPoint is what was found for a setting.
type gapPoint struct {
	gapSetting
	x               float64           // the parameter that is varied
	lemma11, optDel interval.Interval // for charges with which every stop alone needs delta
	schedule        *impl.Schedule    // charges for which each of the two needs delta
}

// measure compares Lemma 11 and Theorem 15 in one setting.
func (s gapSetting) measure(t *testing.T, x float64) gapPoint {
	t.Helper()
	p := s.pipeline()
	schedule, err := impl.DesignSchedule(t.Context(), p, s.delta, impl.ScheduleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range schedule.SingleStop {
		p.Stops[i].Eps = loss.Nats(e)
	}
	r, err := impl.OptDel(t.Context(), p, impl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return gapPoint{s, x, r.Lemma11, r.OptDel, schedule}
}

// ratio returns Lemma 11's δ divided by OptDel, for the same charges. It is at least 1, as OptDel is never more.
func (p gapPoint) ratio() interval.Interval {
	lower := new(big.Float).SetPrec(53).SetMode(big.ToNegativeInf).Quo(p.lemma11.Lower, p.optDel.Upper)
	if one := big.NewFloat(1); lower.Cmp(one) < 0 {
		lower = one
	}
	upper := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Quo(p.lemma11.Upper, p.optDel.Lower)
	return interval.Interval{Lower: lower, Upper: upper}
}

// savedAtEnd returns how much less is charged at the last stop than with Lemma 11 for the same δ, as a part of that.
func (p gapPoint) savedAtEnd() float64 {
	return gapSaved(p.schedule.Charges()[p.stops-1:], p.schedule.Lemma11[p.stops-1:])
}

// savedInMean is savedAtEnd for the mean over all stops.
func (p gapPoint) savedInMean() float64 { return gapSaved(p.schedule.Charges(), p.schedule.Lemma11) }

// gapSaved returns 1 − Σ charges/Σ others. What is below 0 is the difference of what is left of δ, and counts as 0.
func gapSaved(charges, others []*big.Rat) float64 {
	x, y := new(big.Rat), new(big.Rat)
	for i := range charges {
		x.Add(x, charges[i])
		y.Add(y, others[i])
	}
	q, _ := x.Sub(y, x).Quo(x, y).Float64()
	return max(q, 0)
}

// gapSweep varies one parameter of gapBase.
type gapSweep struct {
	name, axis, title string
	isLog             bool
	values            string
	with              func(s *gapSetting, value *big.Rat)
	lines             []gapLine
}

// gapLine is what one curve of a sweep has in common.
type gapLine struct {
	label string
	apply func(s *gapSetting)
}

// gapCurve is what was measured of it.
type gapCurve struct {
	label  string
	points []gapPoint
}

// byPositions and byStops are the curves of most sweeps.
var (
	byPositions = []gapLine{
		{"stops at even distances", func(s *gapSetting) { s.positions = even }},
		{"more of them early", func(s *gapSetting) { s.positions = early }},
		{"more of them late", func(s *gapSetting) { s.positions = late }},
	}
	byStops = []gapLine{
		{"10 stops", func(s *gapSetting) { s.stops = 10 }},
		{"100 stops", func(s *gapSetting) { s.stops = 100 }},
		{"a stop after every mechanism", func(s *gapSetting) { s.stops = s.mechanisms }},
	}
	spreads = []gapLine{
		{"10 stops, ε rises", func(s *gapSetting) { s.stops, s.order = 10, "rising" }},
		{"10 stops, ε falls", func(s *gapSetting) { s.stops, s.order = 10, "falling" }},
		{"100 stops, ε rises", func(s *gapSetting) { s.stops, s.order = 100, "rising" }},
		{"100 stops, ε falls", func(s *gapSetting) { s.stops, s.order = 100, "falling" }},
	}
)

var gapSweeps = []gapSweep{
	{"stops", "number of stops", "1000 mechanisms, ε = 0.05, δ = 1e-06", true, "1 2 5 10 20 50 100 200 500 1000",
		func(s *gapSetting, v *big.Rat) { s.stops = int(v.Num().Int64()) }, byPositions},
	{"mechanisms", "number of mechanisms", "ε = 0.05, δ = 1e-06", true, "10 20 50 100 200 500 1000 2000 5000 10000",
		func(s *gapSetting, v *big.Rat) { s.mechanisms = int(v.Num().Int64()) }, byStops},
	{"eps", "ε of a mechanism", "1000 mechanisms, δ = 1e-06", true, "0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1",
		func(s *gapSetting, v *big.Rat) { s.eps = v }, byStops},
	{"delta", "δ", "1000 mechanisms, ε = 0.05", true, "1e-12 1e-11 1e-10 1e-9 1e-8 1e-7 1e-6 1e-5 1e-4 1e-3 1e-2",
		func(s *gapSetting, v *big.Rat) { s.delta = v }, byStops},
	{"spread", "spread of ε: from ε·(1 − spread) to ε·(1 + spread)", "1000 mechanisms, ε = 0.05, δ = 1e-06", false,
		"0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9", func(s *gapSetting, v *big.Rat) { s.spread = v }, spreads},
	{"dpsgd", "", "", true, "1 10 100",
		func(s *gapSetting, v *big.Rat) { s.stops = int(v.Num().Int64()) }, []gapLine{{"steps of DP-SGD", withSteps}}},
}

// withSteps lets the mechanisms be those of the example of DP-SGD.
func withSteps(s *gapSetting) {
	p, err := input.ReadProblem("../../../examples/dpsgd.yaml", nil, input.NoStops, false)
	if err != nil {
		panic(err)
	}
	s.mechanism, s.mechanisms, s.order = &p.Mechanisms[0], p.Mechanisms[0].Count, ""
}

// measure measures all settings of the sweep, curve by curve, but for those with more stops than mechanisms.
func (w gapSweep) measure(t *testing.T) (curves []gapCurve) {
	for _, line := range w.lines {
		curve := gapCurve{label: line.label}
		for text := range strings.FieldsSeq(w.values) {
			value, s := ratOf(text), gapBase
			w.with(&s, value)
			if line.apply(&s); s.stops > s.mechanisms {
				continue
			}
			x, _ := value.Float64()
			curve.points = append(curve.points, s.measure(t, x))
		}
		curves = append(curves, curve)
	}
	return curves
}
