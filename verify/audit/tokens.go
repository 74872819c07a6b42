package audit

import (
	"cmp"
	"math"
	"slices"
)

// token is something that is counted in outputs, of which a feature can be made.
type token feature

// tokenCount is a token, and how often it came from either input.
type tokenCount struct {
	token
	n [2]float64
}

// sameLayout is the rows of one layout: they differ in their numbers only.
type sameLayout struct {
	layout *layout
	rows   []*row
	counts [2]float64
}

// byLayout returns the first rows, as far as maxTokens go, by layout.
func byLayout(rows []row) []*sameLayout {
	var all []*sameLayout
	of := map[*layout]*sameLayout{}
	for i, left := 0, maxTokens; i < len(rows) && left > 0; i++ {
		r := &rows[i]
		b := of[r.layout]
		if b == nil {
			b = &sameLayout{layout: r.layout}
			of[r.layout] = b
			all = append(all, b)
		}
		b.rows = append(b.rows, r)
		b.counts[0] += r.counts[0]
		b.counts[1] += r.counts[1]
		left -= r.layout.tokens()
	}
	return all
}

// tokens returns about how many tokens an output has. Those of numbers seldom say something, and count more.
func (l *layout) tokens() int {
	n := 0
	for i := range l.spots {
		if n++; l.spots[i].kind == kindNumber {
			n += numberTokens
		}
		n += len(l.spots[i].text)
	}
	for i := range l.lists {
		n += l.lists[i].size()
	}
	return n
}

// numberTokens is how many tokens more a number is counted for.
const numberTokens = 5

// repeatedTokens returns the tokens that came so often that they may say something. Most tokens of noise come once, and
// there are many: how often each came is first counted by a few bits of its hash, and exactly only for those
// that may have come often enough; full says that there were more of these than are kept.
func repeatedTokens(groups []*sameLayout) (all []tokenCount, full bool) {
	counted, rows, size := 0, 0, 1<<10
	for _, b := range groups {
		rows += len(b.rows)
		counted += len(b.rows) * b.layout.tokens()
	}
	least := leastOften(rows)
	for size < mostSketched && size < 2*counted {
		size *= 2
	}
	sketch := make([]uint8, size)
	eachToken(groups, func(t *token, n *[2]float64) {
		at := &sketch[t.hash()&uint64(size-1)]
		*at = uint8(min(float64(*at)+n[0]+n[1], least))
	})
	index := map[uint64]int{}
	eachToken(groups, func(t *token, n *[2]float64) {
		h := t.hash()
		if float64(sketch[h&uint64(size-1)]) < least {
			return
		}
		i, ok := index[h]
		if !ok && len(all) == mostTokens {
			full = true
			return
		}
		if !ok {
			i = len(all)
			index[h], all = i, append(all, tokenCount{token: *t})
		}
		all[i].n[0] += n[0]
		all[i].n[1] += n[1]
	})
	return all, full
}

// rarestToken is in how many rows a token must come once to be kept.
const rarestToken = 5000

// mostTokens are kept at most, for memory; tests make it small.
var mostTokens = 300_000

// leastOften returns how often a token must come in so many rows.
func leastOften(rows int) float64 {
	return float64(min(max(minRepeats, rows/rarestToken), math.MaxUint8))
}

// mostSketched bounds the bytes of what counts tokens by their hashes; a power of 2.
const mostSketched = 1 << 22

// hash returns a number that hardly any other token has. 0 and −0 are the same.
func (t *token) hash() uint64 {
	mix := func(h, x uint64) uint64 {
		h = (h ^ x) * 0xD6E8FEB86659FD93
		return h ^ h>>32
	}
	value := t.value
	if value == 0 {
		value = 0
	}
	h := mix(uint64(t.path), uint64(t.what)<<8|uint64(t.index))
	h = mix(h, math.Float64bits(value))
	s := t.text
	for ; len(s) >= 8; s = s[8:] {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	last := uint64(len(t.text)) << 56
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	return mix(h, last)
}

// eachToken calls f with every token, and how often it came. The token is good for the call only.
func eachToken(groups []*sameLayout, f func(t *token, n *[2]float64)) {
	var t token
	for _, b := range groups {
		eachText(b.layout, func(u token) { t = u; f(&t, &b.counts) })
		for i := range b.layout.spots {
			if s := &b.layout.spots[i]; s.kind == kindNumber {
				b.each(token{what: ofItem, path: s.path, index: int(kindNumber)}, s.index, &t, f)
			}
		}
		for i := range b.layout.lists {
			l := &b.layout.lists[i]
			for _, s := range b.layout.spots[l.from:l.to] {
				if s.kind == kindNumber {
					b.each(token{what: ofWordCount, path: l.path, index: int(kindNumber)}, s.index, &t, f)
				}
			}
		}
	}
}

// each calls f with a token for each row, that has the number with an index.
func (b *sameLayout) each(u token, index int, t *token, f func(t *token, n *[2]float64)) {
	*t = u
	for _, r := range b.rows {
		t.value = r.numbers[index]
		f(t, &r.counts)
	}
}

// eachText calls f with the tokens of a layout that are not about numbers.
func eachText(l *layout, f func(token)) {
	for i := range l.spots {
		if s := &l.spots[i]; s.kind == kindText {
			f(token{what: ofItem, path: s.path, index: int(kindText), text: s.text})
			eachWord(s.text, func(w string) { f(token{what: ofToken, path: s.path, text: w}) })
		}
	}
	for i := range l.lists {
		for _, s := range l.spots[l.lists[i].from:l.lists[i].to] {
			if s.kind != kindNumber {
				f(token{what: ofWordCount, path: l.lists[i].path, index: int(s.kind), text: s.text})
			}
		}
	}
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
	for _, c := range f.tokens {
		if t, seen := c.token, c.n[0]+c.n[1]; seen >= minRepeats && f.holds(t) {
			byKind[t.what] = append(byKind[t.what], weighed{t, seen, f.gain(c.n)})
		}
	}
	var all []feature
	for w, tokens := range byKind {
		byChance := math.Log(float64(len(tokens))+1) / 2
		tokens = slices.DeleteFunc(tokens,
			func(t weighed) bool { return t.gain < byChance && t.seen*rareToken < f.total[0]+f.total[1] })
		slices.SortFunc(tokens, func(a,
			b weighed) int {
			return cmp.Or(cmp.Compare(b.gain, a.gain), a.compare(b.token))
		})
		telling := tokens[:min(len(tokens), mostWords)]
		often := slices.Clone(tokens[len(telling):])
		slices.SortFunc(often, func(a, b weighed) int {
			return cmp.Or(cmp.Compare(b.seen, a.seen),
				a.compare(b.token))
		})
		for _, t := range append(slices.Clone(telling), often[:min(len(often), oftenWords)]...) {
			g := f.feature(t.token)
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

// feature returns whether a token is there, or how often.
func (f *findings) feature(t token) feature {
	g := feature(t)
	if p := f.paths[g.path]; p != nil {
		g.hint = p.hint
	}
	return g
}

// rareToken is how many outputs there are for one with a token that is rare: it must tell more than some do by chance.
const rareToken = 1000

// holds reports whether a token is worth a feature: its list has several places, or there is not the same text at its
// place in all outputs.
func (f *findings) holds(t token) bool {
	if t.what == ofWordCount {
		return f.lists[t.path].isSeveral()
	}
	p := f.paths[t.path]
	return p.varies || p.kinds[kindNumber] > 0
}

// compare orders tokens of one kind.
func (t token) compare(u token) int {
	return cmp.Or(cmp.Compare(t.path, u.path), cmp.Compare(t.text, u.text), cmp.Compare(t.index, u.index),
		cmp.Compare(t.value, u.value))
}

// gain returns what it gains to know whether a token is there, or how many are.
func (f *findings) gain(n [2]float64) float64 { return gainOf(n, f.total) }

// gainOf returns what it gains to know which n outputs of all have something.
func gainOf(n, all [2]float64) float64 {
	rest := [2]float64{max(0, all[0]-n[0]), max(0, all[1]-n[1])}
	return likelihood(n) + likelihood(rest) - likelihood([2]float64{n[0] + rest[0], n[1] + rest[1]})
}
