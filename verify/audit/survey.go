package audit

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// findings are what the rows of a sample have.
type findings struct {
	names  map[pathID]string
	paths  map[pathID]*pathInfo
	lists  map[pathID]*listInfo
	order  []pathID // of paths, as they first come
	listed []pathID // of lists
	tokens []tokenCount
	full   bool       // there were more tokens than are kept
	total  [2]float64 // outputs
}

// pathInfo is what stands at a path.
type pathInfo struct {
	hint    int
	kinds   [kindCount]float64
	has     [2]float64 // outputs of either input with something there
	longest int        // text
	bytes   [256]float64
	numbers int // in a text, at most
	varies  bool
	whole   wholeness // of numbers
	isKey   bool
	first   string
}

// listInfo is what is known of a list.
type listInfo struct {
	seen    float64 // outputs
	most    int     // places
	numbers bool
	first   pathID // the first place, and whether another output has another one
	varies  bool
}

// isSeveral reports whether a list is more than one place, that has its own features.
func (l *listInfo) isSeveral() bool { return l.most > 1 || l.varies }

// survey collects what the rows have, as far as maxTokens go.
func survey(rows []row) *findings {
	f := &findings{names: map[pathID]string{}, paths: map[pathID]*pathInfo{}, lists: map[pathID]*listInfo{}}
	bunches := bunchesOf(rows)
	for _, b := range bunches {
		f.total[0] += b.counts[0]
		f.total[1] += b.counts[1]
		for i := range b.layout.spots {
			f.addPath(&b.layout.spots[i], i, b)
		}
		for i := range b.layout.lists {
			f.addList(&b.layout.lists[i], b)
		}
	}
	f.forgetRare()
	f.tokens, f.full = repeatedTokens(bunches)
	return f
}

// forgetRare leaves out places and lists that hardly any output has, as those under names that never come again: they tell nothing.
func (f *findings) forgetRare() {
	isRare := func(seen float64) bool { return seen < minRepeats && seen*minRepeats < f.total[0]+f.total[1] }
	f.order = slices.DeleteFunc(f.order, func(path pathID) bool { return isRare(f.paths[path].has[0] + f.paths[path].has[1]) })
	f.listed = slices.DeleteFunc(f.listed, func(path pathID) bool { return isRare(f.lists[path].seen) })
}

// addPath notes what stands at a path.
func (f *findings) addPath(s *spot, i int, b *bunch) {
	p := f.paths[s.path]
	if p == nil {
		p = &pathInfo{hint: i, first: s.text, isKey: s.isKey}
		f.paths[s.path] = p
		layoutOf(b.layout.key, b.layout.width, f.names)
		f.order = append(f.order, s.path)
	}
	p.kinds[s.kind] += b.counts[0] + b.counts[1]
	p.has[0] += b.counts[0]
	p.has[1] += b.counts[1]
	p.varies = p.varies || s.text != p.first
	if s.kind == kindNumber {
		p.whole.add(b.numbers(s.index))
	}
	if s.kind != kindText {
		return
	}
	p.longest = max(p.longest, len(s.text))
	for j := range len(s.text) {
		p.bytes[s.text[j]]++
	}
	n := 0
	eachNumber(s.text, func(string, string) bool { n++; return true })
	p.numbers = max(p.numbers, n)
}

// addList notes a list.
func (f *findings) addList(l *list, b *bunch) {
	of := b.layout
	info := f.lists[l.path]
	if info == nil {
		info = &listInfo{}
		f.lists[l.path] = info
		layoutOf(of.key, of.width, f.names)
		f.listed = append(f.listed, l.path)
	}
	info.seen += b.counts[0] + b.counts[1]
	if l.size() > 0 {
		path := of.spots[l.from].path
		info.first = cmp.Or(info.first, path)
		info.varies = info.varies || path != info.first
	}
	info.most = max(info.most, l.size())
	for _, s := range of.spots[l.from:l.to] {
		info.numbers = info.numbers || s.kind == kindNumber
	}
}

// candidates returns the features that there can be, and how many were left out.
func (f *findings) candidates(bits bool) (all []feature, left int) {
	for _, path := range f.order {
		all = append(all, f.ofPath(path, bits)...)
	}
	for _, path := range f.listed {
		all = append(all, f.ofList(path)...)
	}
	all = append(all, f.ofTokens()...)
	if len(all) > maxFeatures {
		left = len(all) - maxFeatures
		all = all[:maxFeatures]
	}
	return all, left
}

// counted returns what the features gain that are counts of their own: whether something stands at a place, and tokens. They were counted in far more rows than are screened, so that what is rare is seen.
func (f *findings) counted() (all []screening) {
	for _, path := range f.order {
		p := f.paths[path]
		all = append(all, screening{feature{what: ofKind, path: path, hint: p.hint}, f.gain(p.has)})
	}
	for _, c := range f.tokens {
		if t := c.token; c.n[0]+c.n[1] >= minRepeats && f.holds(t) {
			all = append(all, screening{f.feature(t), f.gain(c.n)})
		}
	}
	return all
}

// ofPath returns the features of what stands at a path.
func (f *findings) ofPath(path pathID, bits bool) []feature {
	p := f.paths[path]
	base := feature{path: path, hint: p.hint}
	var all []feature
	add := func(w what, index int, word string) {
		g := base
		g.what, g.index, g.text = w, index, word
		all = append(all, g)
	}
	add(ofKind, 0, "")
	if p.kinds[kindNumber] > 0 {
		add(ofValue, 0, "")
		for _, m := range p.whole.moduli() {
			add(ofResidue, m, "")
		}
		if bits {
			add(ofLowBit, 0, "")
			for b := range 52 {
				add(ofBit, b, "")
			}
		}
	}
	if p.kinds[kindText] == 0 || !p.varies {
		return all
	}
	add(ofLength, 0, "")
	add(ofTextRuns, 0, "")
	for i := range p.longest {
		add(ofChar, i, "")
	}
	for i := range min(p.longest, 8) {
		add(ofChar, -1-i, "")
	}
	for i := range min(p.numbers, 8) {
		add(ofNth, i, "")
		add(ofNth, -1-i, "")
	}
	for _, b := range mostFrequent(p.bytes) {
		for _, w := range []what{ofCharCount, ofCharFirst, ofCharLast} {
			add(w, 0, string([]byte{b}))
		}
	}
	return all
}

// mostFrequent returns the bytes that come most often.
func mostFrequent(counts [256]float64) []byte {
	var all []byte
	for b, n := range counts {
		if n > 0 {
			all = append(all, byte(b))
		}
	}
	slices.SortStableFunc(all, func(a, b byte) int { return cmp.Compare(counts[b], counts[a]) })
	return all[:min(len(all), mostBytes)]
}

// ofList returns the features of a list.
func (f *findings) ofList(path pathID) []feature {
	l := f.lists[path]
	all := []feature{{what: ofElements, path: path}}
	if !l.isSeveral() {
		return all
	}
	for k := range int(kindCount) {
		all = append(all, feature{what: ofKindCount, path: path, index: k})
	}
	for i := range statisticCount {
		if l.numbers || i >= theRuns {
			all = append(all, feature{what: ofStatistic, path: path, index: i})
		}
	}
	return all
}

// pairs returns features of two places: of all of them if they are few, and otherwise of
// neighbours and of some at random.
func (f *findings) pairs(rows []row) (all []feature, left int) {
	var paths []pathID
	for _, path := range f.order {
		if k := f.paths[path].kinds; !f.paths[path].isKey && k[kindNumber]+k[kindTrue]+k[kindFalse]+k[kindText] > 0 && path != partPath {
			paths = append(paths, path)
		}
	}
	medians := f.medians(paths, rows)
	add := func(i, j int) { all = append(all, f.pair(paths[i], paths[j], medians[i], medians[j])...) }
	n := len(paths)
	if n*(n-1)/2 <= maxPairs {
		for i := range n {
			for j := range i {
				add(j, i)
			}
		}
		return all, 0
	}
	dice := rand.New(rand.NewPCG(uint64(len(rows)), 2))
	tried := min(n-1, maxPairs/2)
	for i := range tried {
		add(i, i+1)
	}
	for range maxPairs - tried {
		i, j := dice.IntN(n), dice.IntN(n)
		if i != j {
			add(min(i, j), max(i, j))
		}
	}
	return all, n*(n-1)/2 - maxPairs
}

// pair returns the features of two places.
func (f *findings) pair(path, other pathID, median, center float64) []feature {
	p, q := f.paths[path], f.paths[other]
	base := feature{path: path, other: other, hint: p.hint, next: q.hint, value: median, center: center}
	if p.kinds[kindText] > 0 || q.kinds[kindText] > 0 {
		base.what = ofSame
		return []feature{base}
	}
	difference, signs := base, base
	difference.what, signs.what = ofDifference, ofSigns
	return []feature{difference, signs}
}

// medians returns those of the numbers at paths; a boolean is a number, too.
func (f *findings) medians(paths []pathID, rows []row) []float64 {
	const few = 1000
	rows = rows[:min(len(rows), few)]
	medians := make([]float64, len(paths))
	for i, path := range paths {
		var values []float64
		hint := f.paths[path].hint
		for _, r := range rows {
			if at := r.layout.find(path, hint); at >= 0 {
				o := output{layout: r.layout, numbers: r.numbers}
				if x := o.scalar(&r.layout.spots[at]); x != missing {
					values = append(values, x)
				}
			}
		}
		if slices.Sort(values); len(values) > 0 {
			medians[i] = values[(len(values)-1)/2]
		}
	}
	return medians
}
