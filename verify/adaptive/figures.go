package adaptive

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Figures computes Figures 1 to 3 again, how far odometers are above what must be charged, and what the worst adversary
// attains.
func Figures(ctx context.Context) ([]register.Figure, error) {
	all := []register.Figure{figureOfTerms(), figureOfOdometers(), figure2("filter"), figure2("mixture"),
		figure2("stitched"), figureOfAll(), figureOfAdvanced()}
	of := []func(context.Context) (register.Figure, error){tightness}
	for _, l := range slices.Backward(ledgers()) {
		of = append([]func(context.Context) (register.Figure, error){l.price}, of...)
	}
	more, err := register.Figures(of...)(ctx)
	if err != nil {
		return nil, err
	}
	return append(all, more...), nil
}

// The parameters of the figures: δ′ is that of Figure 2; print does not give the others.
const figureSize = 1000 // |x|

var (
	figureDelta1 = rat.Of("1e-6")
	figureLog    = interval.Precision(96).Log(rat.Of("1e6")).Float()
)

const chosen = "Print gives neither parameters nor values on the axes, but for δ′ = 1e-6 in Figure 2 and pure DP; " +
	"chosen here are δ′ = 1e-6 throughout, ε = 1 for the filter odometer, γ = 1/500, v_0 = 1/100 and |x| = 1000. " +
	"The filter odometer has the y* that solves f(y*) = ε, 0.0349 (FAC-X24), and the original one a single logarithm " +
	"outside [1/|x|², 1] (FAC-L3). "

// enclosing is a curve of an odometer.
type enclosing interface {
	Enclose(v, log interval.Float) interval.Float
}

// figured is an odometer of the figures. The target of a filter odometer with the printed y* is twice that of the
// corrected one.
func figured(kind, parameter string) odometer {
	x := rat.Float64(rat.Of(parameter))
	if kind == "filter" {
		x *= 2
	}
	return odometer{kind, 1e-6, 0, x}
}

// fixedOnes are the three odometers of Theorem 3 with the parameters of the figures.
func fixedOnes() []odometer {
	return []odometer{figured("filter", "1"), figured("mixture", "1/500"), figured("stitched", "1/100")}
}

// grid returns first, first + step, …, up to last.
func grid(first, last, step string) (all []*big.Rat) {
	for x := rat.Of(first); x.Cmp(rat.Of(last)) <= 0; x = rat.Add(x, rat.Of(step)) {
		all = append(all, x)
	}
	return all
}

// over is a curve over a grid.
func over(label string, grid []*big.Rat, of func(x *big.Rat) interval.Interval) register.Curve {
	c := register.Curve{Label: label}
	for _, x := range grid {
		c.Points = append(c.Points, register.Point{X: x, Y: of(x)})
	}
	return c
}

// ofOdometer is the curve of an odometer of impl over v = Σ ε_m².
func ofOdometer(label string, o odometer, grid []*big.Rat) register.Curve {
	c := kindOf(o.kind).byImpl(o.parameter).(enclosing)
	return over(label, grid, func(v *big.Rat) interval.Interval {
		return c.Enclose(interval.FloatOf(v), figureLog).Interval()
	})
}

// ofAdvanced is the curve of advanced composition, point by point.
func ofAdvanced(grid []*big.Rat) register.Curve {
	return over("advanced composition, at one v", grid, func(v *big.Rat) interval.Interval {
		return ledger.AdvancedCharge(v, figureDelta1)
	})
}

// three are the curves of the three odometers.
func three(grid []*big.Rat) (curves []register.Curve) {
	for _, o := range fixedOnes() {
		curves = append(curves, ofOdometer(o.kind, o, grid))
	}
	return curves
}

// andOriginal are these and the original one.
func andOriginal(grid []*big.Rat) []register.Curve {
	return append(three(grid), ofOdometer("original", odometer{"original", 1e-6, 0, figureSize}, grid))
}

// ofVariance is a figure of odometers as functions of v.
func ofVariance(id, name, title, note string, curves []register.Curve) register.Figure {
	return register.Figure{ID: id, Name: name, Title: title, X: "v = Σ ε_m²", Y: "ε of the odometer", Curves: curves,
		Note: note}
}

func figureOfTerms() register.Figure {
	v := grid("1/10", "4", "1/10")
	advanced := over("advanced composition", v, func(x *big.Rat) interval.Interval { // for δ′ = 1 the first term is 0
		drift, _ := impl.AdvancedComposition([]loss.Epsilon{loss.Nats(x)}, []*big.Rat{new(big.Rat)}, rat.One)
		return drift
	})
	filter := over("filter", v, func(x *big.Rat) interval.Interval { return ledger.DPToZCDP(loss.Nats(x)) })
	return register.Figure{
		ID: "FAC-F1", Name: "figure1a", Title: "Lower-order terms of advanced composition and of the filter", X: "ε_m",
		Y:      "part of ε",
		Curves: []register.Curve{advanced, filter},
		Note: "Print compares the lower-order terms; neither the axes nor the parameters are given. Computed are " +
			"ε_m(e^(ε_m) − 1)/(e^(ε_m) + 1) and ε_m²/2, what one mechanism adds to ε beside √(2 log(1/δ′) Σ ε_m²). " +
			"The filter's is never smaller, by at most ε_m⁴/24: it is 8 % more at ε_m = 1, and 2 % more at 1/2.",
	}
}

func figureOfOdometers() register.Figure {
	return ofVariance("FAC-F1", "figure1b", "The odometers and the original one, also for v > 1",
		chosen+"Of these, mixture and stitched are below the original one on the whole range; the filter odometer "+
			"is a line, and above it for v from 0.3024 to 1 and from 1.356 on. "+
			"The families, each with its best parameter for every v, are below it for every v (FAC-F1).",
		andOriginal(grid("1/20", "2", "1/20")))
}

// panels of Figure 2 are odometers of one kind with some parameters, beside advanced composition.
var panels = map[string]struct {
	name, title, parameter string
	values                 []string
	note                   string
}{
	"filter": {"figure2a", "Filter odometers", "ε = ", []string{"1/2", "1", "3"}, "Chosen are ε = 1/2, 1 and 3, each with " +
		"the y* that solves f(y*) = ε (FAC-X24). Every line touches the curve of advanced composition, at its y*."},
	"mixture": {"figure2b", "Mixture odometers", "γ = ", []string{"1/500", "1/50", "1/10"},
		"Chosen are γ = 1/500, 1/50 and 1/10. The best γ for a given v is about v/31."},
	"stitched": {"figure2c", "Stitched odometers", "v_0 = ", []string{"1/10000", "1/1000", "1/100"},
		"Chosen are v_0 = 1/10000, 1/1000 and 1/100; below v_0 they are infinite, so v is from 1/100."},
}

func figure2(kind string) register.Figure {
	p, v := panels[kind], grid("1/100", "1/2", "1/100")
	var curves []register.Curve
	for _, x := range p.values {
		curves = append(curves, ofOdometer(p.parameter+x, figured(kind, x), v))
	}
	return ofVariance("FAC-F2", p.name, p.title, "Print shows "+kind+" odometers for δ′ = 1e-6; which ones, and on which "+
		"range, is not given. "+p.note, append(curves, ofAdvanced(v)))
}

func figureOfAll() register.Figure {
	return ofVariance("FAC-F3", "figure3a", "The three odometers and the original one",
		chosen+"The stitched odometer is the least up to v = 0.01541, the filter odometer up to 0.0767, and the "+
			"mixture one from there on, up to 163.8; then again the stitched one (FAC-X18).",
		andOriginal(grid("1/100", "3/10", "1/100")))
}

func figureOfAdvanced() register.Figure {
	v := grid("1/100", "3/10", "1/100")
	return ofVariance("FAC-F3", "figure3b", "The three odometers and advanced composition",
		chosen+"Advanced composition is √(2 log(1/δ′)·v) + v/2 for every v by itself; read at all times it is "+
			"exceeded too often (FAC-X19). The filter odometer touches it at y* = 0.0349.",
		append(three(v), ofAdvanced(v)))
}

// pointName says where a point is, for messages.
func pointName(f register.Figure, c register.Curve, p register.Point) string {
	return fmt.Sprintf("%s, %s, at %s", f.Name, c.Label, rat.Show(p.X))
}
