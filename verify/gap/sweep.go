package gap

import (
	"context"
	"fmt"
	"math/big"
	"slices"
)

// Sweep is a family of settings in which one parameter is varied.
type Sweep struct {
	Name   string // of the parameter
	Axis   string // what the picture says of it
	Log    bool   // whether the axis is logarithmic
	OfEps  bool   // whether the parameter is not used with [Setting.Mechanism]
	values func(base Setting) []*big.Rat
	with   func(base Setting, value *big.Rat) (Setting, error)
	lines  []line
}

// line is what one curve of a sweep has in common.
type line struct {
	label string
	apply func(s *Setting)
}

// Series is one curve of a sweep.
type Series struct {
	Label  string
	Points []Point
}

// Sweeps are all sweeps.
var Sweeps = []Sweep{
	{
		Name: "stops", Axis: "number of stops", Log: true,
		values: func(base Setting) []*big.Rat { return decades(1, base.affordable()) },
		with: func(s Setting, v *big.Rat) (Setting, error) {
			var err error
			s.Stops, err = whole("stops", v)
			return s, err
		},
		lines: []line{
			{"stops at even distances", func(s *Setting) { s.Positions = Even }},
			{"more of them early", func(s *Setting) { s.Positions = Early }},
			{"more of them late", func(s *Setting) { s.Positions = Late }},
		},
	},
	{
		Name: "mechanisms", Axis: "number of mechanisms", Log: true,
		values: func(base Setting) []*big.Rat { return decades(10, 10*base.Mechanisms) },
		with: func(s Setting, v *big.Rat) (Setting, error) {
			var err error
			s.Mechanisms, err = whole("mechanisms", v)
			return s, err
		},
		lines: byStops,
	},
	{
		Name: "eps", Axis: "ε of a mechanism", Log: true, OfEps: true,
		values: func(base Setting) []*big.Rat {
			return scaledBy(base.Eps, "1/50", "1/20", "1/10", "1/5", "1/2", "1", "2", "5", "10", "20")
		},
		with:  func(s Setting, v *big.Rat) (Setting, error) { s.Eps = v; return s, nil },
		lines: byStops,
	},
	{
		Name: "delta", Axis: "δ", Log: true,
		values: func(Setting) []*big.Rat {
			return scaledBy(big.NewRat(1, 1), "1e-12", "1e-11", "1e-10", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2")
		},
		with:  func(s Setting, v *big.Rat) (Setting, error) { s.Delta = v; return s, nil },
		lines: byStops,
	},
	{
		Name: "spread", Axis: "spread of ε: from ε·(1 − spread) to ε·(1 + spread)", OfEps: true,
		values: func(Setting) []*big.Rat {
			return scaledBy(big.NewRat(1, 1), "0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")
		},
		with: func(s Setting, v *big.Rat) (Setting, error) { s.Spread = v; return s, nil },
		lines: []line{
			{"10 stops, ε rises", func(s *Setting) { s.Stops, s.Order = 10, Rising }},
			{"10 stops, ε falls", func(s *Setting) { s.Stops, s.Order = 10, Falling }},
			{"100 stops, ε rises", func(s *Setting) { s.Stops, s.Order = 100, Rising }},
			{"100 stops, ε falls", func(s *Setting) { s.Stops, s.Order = 100, Falling }},
		},
	},
}

// byStops are the curves of most sweeps.
var byStops = []line{
	{"10 stops", func(s *Setting) { s.Stops = 10 }},
	{"100 stops", func(s *Setting) { s.Stops = 100 }},
	{"a stop after every mechanism", func(s *Setting) { s.Stops = s.Mechanisms }},
}

// Values returns the values of the parameter that are taken by default.
func (w Sweep) Values(base Setting) []*big.Rat {
	return slices.DeleteFunc(w.values(base), func(v *big.Rat) bool { return w.Check(base, v) != nil })
}

// Check returns a [*SettingError] if the parameter cannot have the value.
func (w Sweep) Check(base Setting, value *big.Rat) error {
	s, err := w.with(base, value)
	if err != nil {
		return err
	}
	return s.Check()
}

// Run measures all settings of the sweep, for the given values of its parameter: curve by
// curve, without those in which there are more stops than mechanisms or, if their number is not
// what is varied, more than are affordable. progress, if there, is called with the fraction done.
func (w Sweep) Run(ctx context.Context, base Setting, values []*big.Rat, progress func(done float64)) ([]Series, error) {
	var series []Series
	for i, line := range w.lines {
		curve := Series{Label: line.label}
		for j, value := range values {
			if progress != nil {
				progress((float64(i) + float64(j)/float64(len(values))) / float64(len(w.lines)))
			}
			s, err := w.with(base, value)
			if err != nil {
				return series, err
			}
			if line.apply(&s); s.Stops > s.Mechanisms || w.Name != "stops" && s.Stops > s.affordable() {
				continue
			}
			x, _ := value.Float64()
			point, err := s.measure(ctx, x)
			if err != nil {
				if curve.Points != nil {
					series = append(series, curve)
				}
				return series, fmt.Errorf("%s = %g, %s: %w", w.Name, x, line.label, err)
			}
			curve.Points = append(curve.Points, point)
		}
		if curve.Points != nil {
			series = append(series, curve)
		}
	}
	if series == nil {
		return nil, &SettingError{"mechanisms", "is less than the number of stops of every curve, 10 and more"}
	}
	return series, nil
}

// decades returns 1, 2, 5, 10, … from first to last, and last.
func decades(first, last int) []*big.Rat {
	var values []*big.Rat
	for unit := 1; unit <= last; unit *= 10 {
		for _, n := range []int{1, 2, 5} {
			if n *= unit; first <= n && n < last {
				values = append(values, big.NewRat(int64(n), 1))
			}
		}
	}
	return append(values, big.NewRat(int64(last), 1))
}

// scaledBy returns multiples of x.
func scaledBy(x *big.Rat, factors ...string) []*big.Rat {
	var values []*big.Rat
	for _, f := range factors {
		r, ok := new(big.Rat).SetString(f)
		if !ok {
			panic("internal error: not a number: " + f)
		}
		values = append(values, r.Mul(r, x))
	}
	return values
}

// whole returns v as a count.
func whole(name string, v *big.Rat) (int, error) {
	if !v.IsInt() || v.Sign() <= 0 || v.Cmp(big.NewRat(maxMechanisms, 1)) > 0 {
		return 0, &SettingError{name, fmt.Sprintf("is %s, must be a whole number between 1 and %d", v.RatString(), maxMechanisms)}
	}
	return int(v.Num().Int64()), nil
}

// Find returns the sweep over the named parameter.
func Find(name string) (Sweep, bool) {
	i := slices.IndexFunc(Sweeps, func(w Sweep) bool { return w.Name == name })
	if i < 0 {
		return Sweep{}, false
	}
	return Sweeps[i], true
}
