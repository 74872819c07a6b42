package impl

// worthless reports, per stop, whether ending there never pays, whatever was seen:
// no δ so far, and no loss above the charge. The single-stop δ is then exactly 0.
func (p Pipeline) worthless() []bool {
	result := make([]bool, len(p.Stops))
	var used []generator
	var counts []int
	leaked := false
	stop := 0
	p.runs(func(entry, count int, end bool) {
		m := p.Mechanisms[entry]
		leaked = leaked || m.Delta.Sign() > 0
		if n := len(used); n > 0 && used[n-1].eps == m.Eps {
			counts[n-1] += count
		} else if !leaked {
			used, counts = append(used, generator{eps: m.Eps, value: m.Eps.dd()}), append(counts, count)
		}
		if !end {
			return
		}
		if !leaked {
			b := &box{generators: used}
			result[stop] = !b.gap(newCharge(p.Stops[stop].Eps), counts).negative()
		}
		stop++
	})
	return result
}
