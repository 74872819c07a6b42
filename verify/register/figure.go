package register

import (
	"context"
	"fmt"
	"math/big"

	"checkrr/impl/interval"
)

// Figure is a figure or a table of print, computed again. statements.yaml says what it shows.
type Figure struct {
	ID     string `yaml:"-"` // of the statement, such as ODP-F1
	Name   string // for files, such as figure1
	Title  string
	X, Y   string // what the axes show
	LogX   bool   `yaml:"log_x"` // whether X has a logarithmic scale
	LogY   bool   `yaml:"log_y"` // whether Y has
	Bare   bool   // whether points are not to be joined: nothing is known between them
	Note   string // what print shows, what was computed, and where they differ
	Curves Curves `yaml:"-"`
}

// Drawing computes the curves of the figure with a name.
type Drawing struct {
	Name   string
	Curves func(context.Context) (Curves, error)
}

// Draws returns what computes the curves of a figure.
func Draws(name string, curves func(context.Context) (Curves, error)) Drawing {
	return Drawing{name, curves}
}

// Curve is a row of points that belong together.
type Curve struct {
	Label   string
	Points  []Point
	InTable bool   // whether it is in tables only, as it would hide others in a picture
	Note    string // the end of what is said of the figure, if that has numbers that were computed
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

// Draw computes the figures, one after the other.
func (p Paper) Draw(ctx context.Context) (all []Figure, err error) {
	said := map[string]Figure{}
	for _, s := range Must(p.printed()) {
		for _, f := range s.Figures {
			f.ID = s.ID
			said[f.Name] = f
		}
	}
	for _, d := range p.Figures {
		f, isSaid := said[d.Name]
		if !isSaid {
			return nil, fmt.Errorf("%s/statements.yaml: no statement has a figure %s", p.Name, d.Name)
		}
		if f.Curves, err = d.Curves(ctx); err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for _, c := range f.Curves {
			f.Note += c.Note
		}
		all = append(all, f)
	}
	return all, nil
}
