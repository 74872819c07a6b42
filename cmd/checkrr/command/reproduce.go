package command

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/interval"
	"checkrr/verify/register"
)

// textWithFigures returns the text of a name.
func (a app) textWithFigures(name string) (register.Paper, error) {
	for _, p := range a.papers {
		if p.Figures != nil && p.Name == strings.ToLower(name) {
			return p, nil
		}
	}
	return register.Paper{}, fmt.Errorf("%s is not a text with figures, must be %s", report.Quote(name),
		strings.Join(a.withFigures(), " or "))
}

// withFigures returns the names of the texts that have figures.
func (a app) withFigures() (names []string) {
	for _, p := range a.papers {
		if p.Figures != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

func (a app) reproduceCommand() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:       "reproduce TEXT",
		Args:      oneText,
		ValidArgs: a.withFigures(),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.textWithFigures(args[0])
			if err != nil {
				return err
			}
			if err := makeFolder(out); err != nil {
				return err
			}
			ctx, stop := run.Limited(cmd.Context(), 0)
			defer stop()
			figures, err := text.Draw(ctx)
			if err != nil {
				return err
			}
			files, err := writeFigures(out, figures)
			if err != nil {
				return err
			}
			if asJSON {
				return report.WriteJSON(a.Stdout, figuresJSON(figures, files))
			}
			_, err = fmt.Fprintf(a.Stdout, "%s\nWritten: %s\n", note(figures), report.Name(strings.Join(files, ", ")))
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "reproduction",
		"write the files into `FOLDER`, made if it is not there")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	report.Must(cmd.MarkFlagDirname("output"))
	return cmd
}

// makeFolder makes the folder for the files, and tries it out before anything is computed.
func makeFolder(dir string) error {
	if report.Name(dir) != dir {
		return fmt.Errorf("--output is %s, must be a name of characters that can be seen", report.Name(dir))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".checkrr-*")
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func oneText(_ *cobra.Command, names []string) error {
	if len(names) != 1 {
		return errors.New("name one text, for example\n  checkrr reproduce odp")
	}
	return nil
}

// writeFigures writes all files of the figures into a folder and returns their names.
func writeFigures(dir string, figures []register.Figure) ([]string, error) {
	var files []string
	for _, f := range figures {
		picture, base := picture(f), report.Join(dir, f.Name)
		if err := report.WriteText(base+".csv", pointsCSV(f)); err != nil {
			return nil, err
		}
		files = append(files, base+".csv")
		for _, format := range report.PlotFormats {
			file := base + "." + format
			if err := report.WritePicture(file, picture); err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	file := report.Join(dir, "note.md")
	return append(files, file), report.WriteText(file, []byte(note(figures)))
}

// pointsCSV is a line a point: the curve, the number, and the ends of the interval.
func pointsCSV(f register.Figure) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	report.Must(w.Write([]string{"curve", "x", "lower", "upper"}))
	for _, c := range f.Curves {
		for _, p := range c.Points {
			lower, upper := ends(p.Y)
			report.Must(w.Write([]string{c.Label, report.Typed(p.X), lower, upper}))
		}
	}
	w.Flush()
	report.Must(w.Error())
	return b.Bytes()
}

func ends(y interval.Interval) (lower, upper string) {
	return report.Down.Float(y.Lower).Double(), report.Up.Float(y.Upper).Double()
}

// note says, figure by figure, what print shows and what was computed.
func note(figures []register.Figure) string {
	var b strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&b, "## %s: %s\n\n%s\n\n", f.ID, f.Title, wrapped(f.Note))
		t := report.NewTable(append([]any{f.X}, labels(f)...)...)
		for i, p := range f.Curves[0].Points {
			row := []any{report.Typed(p.X)}
			for _, c := range f.Curves {
				row = append(row, fiveDigits(c.Points[i].Y))
			}
			t.Row(row...)
		}
		fmt.Fprintf(&b, "%s\n\n", t.Markdown())
	}
	return strings.TrimSpace(b.String()) + "\n"
}

func wrapped(s string) string {
	lines := strings.Split(text.WrapSoft(s, width), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

func labels(f register.Figure) []any {
	var out []any
	for _, c := range f.Curves {
		out = append(out, c.Label)
	}
	return out
}

// fiveDigits rounds what is known to five digits and more, for reading.
func fiveDigits(y interval.Interval) string { return y.Upper.Text('g', 5) }

// picture draws the curves of a figure.
func picture(f register.Figure) *plot.Plot {
	p := report.NewFigure(f.Title, f.X, f.Y)
	least, most := math.Inf(1), 0.0
	var curves []plotter.XYs
	for i, c := range drawn(f) {
		var points plotter.XYs
		for _, point := range c.Points {
			x, _ := point.X.Float64()
			y, _ := point.Y.Upper.Float64()
			points, least, most = append(points, plotter.XY{X: x, Y: y}), min(least, y), max(most, y)
		}
		curves = append(curves, points)
		if n := i % len(report.Colors); f.Bare {
			report.AddPoints(p, c.Label, points, report.Colors[n], report.BareShapes[n])
		} else {
			report.AddSeries(p, c.Label, points, report.Look{HasGlyphs: len(points) <= report.MaxGlyphs,
				Color: report.Colors[n], Shape: report.Shapes[n], Dashes: report.Dashes[n]})
		}
	}
	p.Y.Min, p.Y.Max = 0, 1.08*most
	if f.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(report.DecadeTicks)
	}
	if f.LogY {
		p.Y.Min, p.Y.Max = least/2, most
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(report.DecadeTicks)
	}
	report.PlaceLegendApart(p, curves...)
	return p
}

// drawn returns the curves that are not in tables only.
func drawn(f register.Figure) []register.Curve {
	return slices.DeleteFunc(slices.Clone(f.Curves), func(c register.Curve) bool { return c.InTable })
}

// figuresJSON is the output of --json.
func figuresJSON(figures []register.Figure, files []string) report.Object {
	var all []report.Object
	for _, f := range figures {
		var curves []report.Object
		for _, c := range f.Curves {
			var points []report.Object
			for _, p := range c.Points {
				points = append(points, report.Object{"x", report.Near.Rat(p.X), "y", report.ToJSON(p.Y)})
			}
			curves = append(curves, report.Object{"label", c.Label, "points", points})
		}
		all = append(all, report.Object{"id", f.ID, "title", f.Title, "x", f.X, "y", f.Y, "curves", curves, "note",
			f.Note})
	}
	return report.Output("figures", all, "files", files)
}
