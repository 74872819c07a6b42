package audit

// splitter divides rows by thresholds on single features.
type splitter struct {
	*binned
	least  float64 // what a division must add to the log-likelihood
	starts []int   // by feature: where its bins begin in a histogram
}

// sprout is a leaf that may be divided.
type sprout struct {
	node      *tree
	rows      []int32
	sum       [2]float64
	histogram [][2]float64 // of the rows, by feature and bin; nil if it is not worth to divide them
	gain      float64
	feature   int
	bin       uint8 // rows up to this bin go low
}

// root returns a leaf with all rows.
func (s *splitter) root() *sprout {
	s.starts = append(s.starts[:0], 0)
	for i, edges := range s.edges {
		s.starts = append(s.starts, s.starts[i]+len(edges))
	}
	rows := make([]int32, s.rows())
	for i := range rows {
		rows[i] = int32(i)
	}
	root := s.sprout(rows)
	if s.isWorth(root) {
		root.histogram = s.histogram(rows)
		s.consider(root)
	}
	return root
}

func (s *splitter) sprout(rows []int32) *sprout {
	p := &sprout{node: &tree{feature: -1}, rows: rows}
	for _, r := range rows {
		p.sum[0] += s.counts[r][0]
		p.sum[1] += s.counts[r][1]
	}
	return p
}

// isWorth reports whether a division can add enough.
func (s *splitter) isWorth(p *sprout) bool { return len(p.rows) > 1 && -likelihood(p.sum) >= s.least }

// histogram returns the counts of rows by feature and bin.
func (s *splitter) histogram(rows []int32) [][2]float64 {
	all := make([][2]float64, s.starts[len(s.edges)])
	for f, bins := range s.bins {
		histogram := all[s.starts[f]:s.starts[f+1]]
		for _, r := range rows {
			h, w := &histogram[bins[r]], &s.counts[r]
			h[0] += w[0]
			h[1] += w[1]
		}
	}
	return all
}

// divide makes two leaves of one, by a threshold on its feature. If they are to be divided in turn, only the rows of
// the smaller one are counted: the other has the rest.
func (s *splitter) divide(p *sprout, threshold float64, further bool) (low, high *sprout) {
	column := s.columns[p.feature]
	var lows, highs []int32
	for _, r := range p.rows {
		if column[r] <= threshold {
			lows = append(lows, r)
		} else {
			highs = append(highs, r)
		}
	}
	low, high = s.sprout(lows), s.sprout(highs)
	p.node.feature, p.node.threshold, p.node.counts = p.feature, threshold, p.sum
	p.node.low, p.node.high = low.node, high.node
	small, large := low, high
	if len(lows) > len(highs) {
		small, large = high, low
	}
	if !further || !s.isWorth(small) && !s.isWorth(large) {
		return low, high
	}
	small.histogram, large.histogram = s.histogram(small.rows), p.histogram
	p.histogram = nil
	for i, h := range small.histogram {
		large.histogram[i][0] -= h[0]
		large.histogram[i][1] -= h[1]
	}
	s.consider(small)
	s.consider(large)
	return low, high
}

// consider finds the division of a leaf that adds most.
func (s *splitter) consider(p *sprout) {
	if !s.isWorth(p) {
		return
	}
	whole := likelihood(p.sum)
	for f := range s.edges {
		if gain, bin := bestDivision(p.histogram[s.starts[f]:s.starts[f+1]], p.sum); gain-whole > p.gain {
			p.gain, p.feature, p.bin = gain-whole, f, uint8(bin)
		}
	}
}

// bestDivision returns after which bin to divide so that both halves together are likeliest, and how likely.
func bestDivision(histogram [][2]float64, sum [2]float64) (most float64, bin int) {
	var low [2]float64
	none := true
	for b := range len(histogram) - 1 {
		h := &histogram[b]
		if h[0] == 0 && h[1] == 0 {
			continue // as before
		}
		low[0] += h[0]
		low[1] += h[1]
		high := [2]float64{sum[0] - low[0], sum[1] - low[1]}
		if both := likelihood(low) + likelihood(high); none || both > most {
			most, bin, none = both, b, false
		}
	}
	if none {
		return likelihood(sum), 0
	}
	return most, bin
}
