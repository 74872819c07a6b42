package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// How much is looked at, at most, whenever something is learned: the cost of a look does not grow with
// how wide outputs are, so that wide ones are looked at in fewer rows.
const (
	maxTokens   = 2_000_000 // words, prefixes and so on that are counted
	maxKept     = 300_000   // of them, that are kept: those that came once are forgotten
	maxFeatures = 20_000    // that are compared
	screened    = 3_000_000 // entries of features that are compared
	maxPairs    = 5_000     // of places; beyond, some are taken at random
	mostWords   = 48        // of each kind that become features
	oftenWords  = 16        // and of those that are most frequent
	mostBytes   = 16        // different ones of a text that are counted
	kept        = 64        // features that are learned from
	keptOfKind  = 10        // of every kind, if they say anything
)

// token is something that is counted in outputs, of which a feature can be made.
type token feature

// findings are what the rows of a sample have.
type findings struct {
	names  map[pathID]string
	paths  map[pathID]*pathInfo
	lists  map[pathID]*listInfo
	order  []pathID // of paths, as they first come
	listed []pathID // of lists
	tokens map[token]*[2]float64
	total  [2]float64 // outputs
	level  float64    // tokens that came so often were forgotten
}

// pathInfo is what stands at a path.
type pathInfo struct {
	hint    int
	kinds   [kindCount]float64
	longest int // text
	bytes   [256]float64
	numbers int // in a text, at most
	varies  bool
	first   string
}

// listInfo is what is known of a list.
type listInfo struct {
	most    int // places
	numbers bool
}

// survey collects what the rows have, as far as maxTokens go.
func survey(rows []row) *findings {
	f := &findings{names: map[pathID]string{}, paths: map[pathID]*pathInfo{}, lists: map[pathID]*listInfo{}, tokens: map[token]*[2]float64{}}
	counted := 0
	for _, r := range rows {
		if counted > maxTokens {
			break
		}
		f.total[0] += r.counts[0]
		f.total[1] += r.counts[1]
		counted += f.add(&r)
		if len(f.tokens) > maxKept {
			f.forget()
		}
	}
	return f
}

// forget drops the tokens that came seldom.
func (f *findings) forget() {
	for f.level++; ; f.level++ {
		for t, n := range f.tokens {
			if n[0]+n[1] <= f.level {
				delete(f.tokens, t)
			}
		}
		if len(f.tokens) <= maxKept/2 {
			return
		}
	}
}

// count counts a token.
func (f *findings) count(t token, r *row) {
	n := f.tokens[t]
	if n == nil {
		n = &[2]float64{}
		f.tokens[t] = n
	}
	n[0] += r.counts[0]
	n[1] += r.counts[1]
}

// add collects what a row has, and returns how many tokens were counted.
func (f *findings) add(r *row) int {
	counted := 0
	count := func(t token) { f.count(t, r); counted++ }
	for i := range r.layout.spots {
		s := &r.layout.spots[i]
		f.addPath(s, i, r)
		switch s.kind {
		case kindText:
			count(token{what: ofItem, path: s.path, index: int(kindText), text: s.text})
			countText(s, count)
		case kindNumber:
			count(token{what: ofItem, path: s.path, index: int(kindNumber), value: r.numbers[s.index]})
		}
	}
	for i := range r.layout.lists {
		l := &r.layout.lists[i]
		info := f.lists[l.path]
		if info == nil {
			info = &listInfo{}
			f.lists[l.path] = info
			layoutOf(r.layout.key, r.layout.width, f.names)
			f.listed = append(f.listed, l.path)
		}
		info.most = max(info.most, l.size())
		for _, s := range r.layout.spots[l.from:l.to] {
			t := token{what: ofWordCount, path: l.path, index: int(s.kind), text: s.text}
			if s.kind == kindNumber {
				info.numbers = true
				t.value = r.numbers[s.index]
			}
			count(t)
		}
	}
	return counted
}

// addPath notes what stands at a path.
func (f *findings) addPath(s *spot, i int, r *row) {
	p := f.paths[s.path]
	if p == nil {
		p = &pathInfo{hint: i, first: s.text}
		f.paths[s.path] = p
		layoutOf(r.layout.key, r.layout.width, f.names)
		f.order = append(f.order, s.path)
	}
	p.kinds[s.kind] += r.counts[0] + r.counts[1]
	p.varies = p.varies || s.text != p.first
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

// countText counts the prefixes, words, numbers and triples of bytes of a text.
func countText(s *spot, count func(token)) {
	for _, n := range []int{2, 4, 8, 16} {
		if n < len(s.text) {
			count(token{what: ofPrefix, path: s.path, text: s.text[:n]})
		}
	}
	eachWord(s.text, func(w string) { count(token{what: ofToken, path: s.path, text: w}) })
	eachNumber(s.text, func(w, _ string) bool {
		if w != "" {
			count(token{what: ofAfter, path: s.path, text: w})
		}
		return true
	})
	for i := 0; i+3 <= len(s.text); i++ {
		count(token{what: ofGram, path: s.path, text: s.text[i : i+3]})
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
	if l.most < 2 {
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

// weighed is a token, how often it came, and what it gains to know.
type weighed struct {
	token
	seen, gain float64
}

// ofTokens returns the features of what was counted: of each kind the tokens that tell most, and
// the most frequent ones.
func (f *findings) ofTokens() []feature {
	var byKind [whats][]weighed
	for t, n := range f.tokens {
		if n[0]+n[1] >= minRepeats && f.lists[t.path].holds(t) {
			byKind[t.what] = append(byKind[t.what], weighed{t, n[0] + n[1], f.gain(*n)})
		}
	}
	var all []feature
	for w, tokens := range byKind {
		slices.SortFunc(tokens, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.gain, a.gain), a.compare(b.token)) })
		telling := tokens[:min(len(tokens), mostWords)]
		often := slices.Clone(tokens[len(telling):])
		slices.SortFunc(often, func(a, b weighed) int { return cmp.Or(cmp.Compare(b.seen, a.seen), a.compare(b.token)) })
		for _, t := range append(slices.Clone(telling), often[:min(len(often), oftenWords)]...) {
			g := feature(t.token)
			if p := f.paths[g.path]; p != nil {
				g.hint = p.hint
			}
			all = append(all, g)
			if what(w) == ofWordCount {
				first, last := g, g
				first.what, last.what = ofWordFirst, ofWordLast
				all = append(all, first, last)
			}
		}
	}
	return all
}

// holds reports whether a token of a list is worth a feature: its list has several places.
func (l *listInfo) holds(t token) bool { return t.what != ofWordCount || l.most > 1 }

// compare orders tokens of one kind.
func (t token) compare(u token) int {
	return cmp.Or(cmp.Compare(t.path, u.path), cmp.Compare(t.text, u.text), cmp.Compare(t.index, u.index), cmp.Compare(t.value, u.value))
}

// gain returns what it gains to know whether a token is there, or how many are.
func (f *findings) gain(n [2]float64) float64 {
	rest := [2]float64{max(0, f.total[0]-n[0]), max(0, f.total[1]-n[1])}
	return likelihood(n) + likelihood(rest) - likelihood([2]float64{n[0] + rest[0], n[1] + rest[1]})
}

// pairs returns features of two places: of all of them if they are few, and otherwise of
// neighbours and of some at random.
func (f *findings) pairs(rows []row) (all []feature, left int) {
	var paths []pathID
	for _, path := range f.order {
		if k := f.paths[path].kinds; k[kindNumber]+k[kindTrue]+k[kindFalse]+k[kindText] > 0 && path != partPath {
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

// screening is how features compare.
type screening struct {
	feature feature
	gain    float64 // of the log-likelihood, for all rows
}

// screen returns the features that tell the inputs apart best, and how much they do, by the first
// rows.
func screen(features []feature, rows []row) []screening {
	rows = beginning(rows, len(features), screened)
	var all []screening
	const batch = 64 // columns at once, for memory
	for some := range slices.Chunk(features, batch) {
		t := tabulate(rows, some)
		for i, column := range t.columns {
			if gain := t.tells(column); gain > 0 {
				all = append(all, screening{some[i], gain})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b screening) int { return cmp.Compare(b.gain, a.gain) })
	return all
}

// tells returns what a column gains: by its best threshold, or by all of its values.
func (t table) tells(column []float64) float64 {
	const bins = 32
	edges := quantiles(column, bins)
	if len(edges) < 2 {
		return 0
	}
	histogram := make([][2]float64, len(edges))
	var sum [2]float64
	for i, x := range column {
		h, n := &histogram[binOf(edges, x)], &t.counts[i]
		h[0] += n[0]
		h[1] += n[1]
		sum[0] += n[0]
		sum[1] += n[1]
	}
	all := -float64(len(edges) - 1) // what chance gains, and a standard deviation or so
	for _, h := range histogram {
		all += likelihood(h)
	}
	one, _ := bestDivision(histogram, sum, likelihood)
	return max(max(one, all)-likelihood(sum), math.SmallestNonzeroFloat64)
}

// bestOf returns the features to learn from: the best of every kind, and the best of all.
func bestOf(all []screening) []feature {
	var chosen []feature
	var ofKind [whats]int
	for _, s := range all {
		if ofKind[s.feature.what] < keptOfKind && s.gain > 1 {
			ofKind[s.feature.what]++
			chosen = append(chosen, s.feature)
		}
	}
	chosen = chosen[:min(len(chosen), kept*3/4)]
	for _, s := range all {
		if len(chosen) >= kept {
			break
		}
		if !slices.Contains(chosen, s.feature) {
			chosen = append(chosen, s.feature)
		}
	}
	return chosen
}
