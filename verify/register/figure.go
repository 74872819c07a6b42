package register

import (
	"context"
	"math/big"

	"checkrr/impl/interval"
)

// Figure is a figure or a table of print, computed again.
type Figure struct {
	ID     string // of the statement, such as ODP-F1
	Name   string // for files, such as figure1
	Title  string
	X, Y   string // what the axes show
	LogX   bool   // whether X has a logarithmic scale
	LogY   bool   // whether Y has
	Bare   bool   // whether points are not to be joined: nothing is known between them
	Curves []Curve
	Note   string // what print shows, what was computed, and where they differ
}

// Curve is a row of points that belong together.
type Curve struct {
	Label   string
	Points  []Point
	InTable bool // whether it is in tables only, as it would hide others in a picture
}

// Point is a number and the interval that the value at it lies in.
type Point struct {
	X *big.Rat
	Y interval.Interval
}

// Curves are rows of points over the same numbers.
type Curves []Curve

// Labelled returns curves without points.
func Labelled(labels ...string) (all Curves) {
	for _, label := range labels {
		all = append(all, Curve{Label: label})
	}
	return all
}

// Add adds a point at x to each.
func (all Curves) Add(x *big.Rat, ys ...interval.Interval) {
	for i, y := range ys {
		all[i].Points = append(all[i].Points, Point{X: x, Y: y})
	}
}

// Figures returns what computes some figures, one after the other.
func Figures(of ...func(context.Context) (Figure, error)) func(context.Context) ([]Figure, error) {
	return func(ctx context.Context) (all []Figure, err error) {
		for _, figure := range of {
			f, err := figure(ctx)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			all = append(all, f)
		}
		return all, nil
	}
}
