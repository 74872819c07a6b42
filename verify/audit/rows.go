package audit

import (
	"slices"
)

// row is an output, or all with the same shape and no numbers, and how often it came from either input.
type row struct {
	layout  *layout
	numbers []float64
	counts  [2]float64
}

// rowsOfPart returns outputs of one part.
func rowsOfPart(claim Claim, part int, samples [2]*Sample) []row {
	var rows []row
	layouts := map[key]*layout{}
	for side, s := range samples {
		for _, g := range s.Groups() {
			if p, err := claim.Part(g.Part); err != nil || p != part || g.Count == 0 {
				continue
			}
			l := layouts[g.key()]
			if l == nil {
				l = layoutOf(g.Part, g.Shape)
				layouts[g.key()] = l
			}
			r := row{layout: l}
			if g.Width() == 0 {
				r.counts[side] = float64(g.Count)
				rows = append(rows, r)
				continue
			}
			r.counts[side] = 1
			for r.numbers = range slices.Chunk(g.Numbers, g.Width()) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// tabulate returns the features of rows.
func tabulate(rows []row, features []feature) table {
	t := table{columns: make([][]float64, len(features))}
	for i := range features {
		t.columns[i] = make([]float64, len(rows))
	}
	t.counts = make([][2]float64, len(rows))
	for r, row := range rows {
		for i := range features {
			t.columns[i][r] = features[i].of(output{row.layout, row.numbers})
		}
		t.counts[r] = row.counts
	}
	return t
}

// widest returns how many numbers an output has at most.
func widest(samples [2]*Sample) (most int) {
	for _, s := range samples {
		for _, g := range s.groups {
			most = max(most, g.Width())
		}
	}
	return most
}
