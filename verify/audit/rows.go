package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// row is an output, or all with the same shape and no numbers, and how often it came from either input.
type row struct {
	layout  *layout
	numbers []float64
	counts  [2]float64
}

// maxRows bounds the rows that are learned from.
const maxRows = 400_000

// rowsOfPart returns outputs of one part in random order, at most about maxRows.
func rowsOfPart(claim Claim, part int, samples [2]*Sample) []row {
	total := 0
	for _, s := range samples {
		for k, g := range s.groups {
			if p, err := claim.Part(k.part); err == nil && p == part {
				total += max(1, min(g.Count, len(g.Numbers)))
			}
		}
	}
	share := min(1, maxRows/float64(max(total, 1)))
	var rows []row
	layouts := map[key]*layout{}
	for side, s := range samples {
		for _, k := range s.someKeys(share) {
			if p, err := claim.Part(k.part); err != nil || p != part || s.groups[k].Count == 0 {
				continue
			}
			g := s.groups[k]
			l := layouts[k]
			if l == nil {
				l = layoutOf(g.Part, g.Shape)
				layouts[k] = l
			}
			rows = appendRows(rows, l, g, side, share)
		}
	}
	shuffle(rows)
	return rows
}

// someKeys returns a share of the keys in order: of those whose outputs have no numbers.
func (s *Sample) someKeys(share float64) []key {
	var keys []key
	for k, g := range s.groups {
		if share < 1 && g.Width() == 0 &&
			float64(uint64(rootPath.field(k.shape))*0x9E3779B97F4A7C15>>11)*0x1p-53 > share {
			continue
		}
		keys = append(keys, k)
	}
	slices.SortFunc(keys, key.compare)
	return keys
}

// appendRows adds a share of the outputs of a group.
func appendRows(rows []row, l *layout, g *Group, side int, share float64) []row {
	r := row{layout: l}
	if g.Width() == 0 {
		r.counts[side] = float64(g.Count)
		return append(rows, r)
	}
	r.counts[side] = 1
	n := int(math.Ceil(share * float64(g.Count)))
	for numbers := range slices.Chunk(g.Numbers[:n*g.Width()], g.Width()) {
		r.numbers = numbers
		rows = append(rows, r)
	}
	return rows
}

// shuffle brings rows into a random order in which those that came often tend to come first, so that
// the beginning is a sample.
func shuffle(rows []row) {
	dice := rand.New(rand.NewPCG(uint64(len(rows)), 1))
	type ticket struct {
		time float64
		row  int32
	}
	tickets := make([]ticket, len(rows))
	for i, r := range rows {
		tickets[i] = ticket{dice.ExpFloat64() / (r.counts[0] + r.counts[1]), int32(i)}
	}
	slices.SortFunc(tickets, func(a, b ticket) int { return cmp.Compare(a.time, b.time) })
	shuffled := make([]row, len(rows))
	for i, t := range tickets {
		shuffled[i] = rows[t.row]
	}
	copy(rows, shuffled)
}

// beginning returns so many rows that they have at most some entries of so many columns, but at
// least a few.
func beginning(rows []row, columns, entries int) []row {
	const fewest = 400
	return rows[:min(len(rows), max(fewest, entries/max(1, columns)))]
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
