package audit

import (
	"cmp"
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
	numbers int        // in a text, at most
	varies  bool
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
	groups := byLayout(rows)
	for _, b := range groups {
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
	f.tokens, f.full = repeatedTokens(groups)
	return f
}

// forgetRare leaves out places and lists that hardly any output has, as those under names that never come again: they
// tell nothing.
func (f *findings) forgetRare() {
	isRare := func(seen float64) bool { return seen < minRepeats && seen*minRepeats < f.total[0]+f.total[1] }
	f.order = slices.DeleteFunc(f.order,
		func(path pathID) bool { return isRare(f.paths[path].has[0] + f.paths[path].has[1]) })
	f.listed = slices.DeleteFunc(f.listed, func(path pathID) bool { return isRare(f.lists[path].seen) })
}

// addPath notes what stands at a path.
func (f *findings) addPath(s *spot, i int, b *sameLayout) {
	p := f.paths[s.path]
	if p == nil {
		p = &pathInfo{hint: i, first: s.text, isKey: s.isKey}
		f.paths[s.path] = p
		layoutOf(b.layout.part, b.layout.shape, f.names)
		f.order = append(f.order, s.path)
	}
	p.kinds[s.kind] += b.counts[0] + b.counts[1]
	p.has[0] += b.counts[0]
	p.has[1] += b.counts[1]
	p.varies = p.varies || s.text != p.first
	if s.kind != kindText {
		return
	}
	p.longest = max(p.longest, len(s.text))
	n := 0
	eachNumber(s.text, func(string) bool { n++; return true })
	p.numbers = max(p.numbers, n)
}

// addList notes a list.
func (f *findings) addList(l *list, b *sameLayout) {
	of := b.layout
	info := f.lists[l.path]
	if info == nil {
		info = &listInfo{}
		f.lists[l.path] = info
		layoutOf(of.part, of.shape, f.names)
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

// counted returns what the features gain that are counts of their own: whether something stands at a place, and
// tokens. They were counted in far more rows than are screened, so that what is rare is seen.
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
	var all []feature
	add := func(w what, index int) {
		all = append(all, feature{what: w, path: path, hint: p.hint, index: index})
	}
	add(ofKind, 0)
	if p.kinds[kindNumber] > 0 {
		add(ofValue, 0)
		if bits {
			add(ofLowBit, 0)
			for b := range 52 {
				add(ofBit, b)
			}
		}
	}
	if p.kinds[kindText] == 0 || !p.varies {
		return all
	}
	add(ofLength, 0)
	for i := range p.longest {
		add(ofChar, i)
	}
	for i := range min(p.longest, 8) {
		add(ofChar, -1-i)
	}
	for i := range min(p.numbers, 8) {
		add(ofNth, i)
		add(ofNth, -1-i)
	}
	return all
}

// ofList returns the features of a list.
func (f *findings) ofList(path pathID) []feature {
	l := f.lists[path]
	all := []feature{{what: ofElements, path: path}}
	if !l.isSeveral() {
		return all
	}
	for i := range statisticCount {
		if l.numbers || i >= theRuns {
			all = append(all, feature{what: ofStatistic, path: path, index: i})
		}
	}
	return all
}
