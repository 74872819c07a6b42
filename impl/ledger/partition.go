package ledger

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxPartitions is how many disjoint parts of the data are told apart.
const MaxPartitions = 4096

// PartitionError is a part of the data that cannot be told apart.
type PartitionError struct{ Part, Rule string }

// Error names the part, with all that is not ASCII as escapes if it may look like another, and says the rule.
func (e *PartitionError) Error() string {
	if e.Part != plainName(e.Part) {
		return fmt.Sprintf("partition %+q %s", e.Part, e.Rule)
	}
	return fmt.Sprintf("partition %q %s", e.Part, e.Rule)
}

// Partitioned keeps what mechanisms spend where some of them read only one of several disjoint parts of the data. A
// record is in one part at most, so what was spent on it is that of the mechanisms that read all of the data and of
// those that read its part: a mechanism that does not read its part has the same output law with and without it, and
// is 0-DP for that pair of neighbours. Any rule that is valid for mechanisms chosen as one goes is therefore valid
// part by part, and the largest of the parts holds for every record (parallel composition; McSherry, 2009, Theorem
// 4).
//
// Neighbours differ by one record added or removed, and the part of a record must not depend on other records.
//
// T is what a rule remembers, a value that is never changed: a step returns its successor. The zero value is not
// valid; use [NewPartitioned].
//
// Cost: of a mechanism on one part, one step; of one on all of the data, a step for every part. O(parts) space.
type Partitioned[T any] struct {
	all   T // by mechanisms on all of the data: on records in none of the parts
	parts map[string]T
}

// NewPartitioned returns what is remembered at first.
func NewPartitioned[T any](start T) Partitioned[T] { return Partitioned[T]{all: start} }

// PartitionedOf returns what was spent according to an earlier state: on records in none of the parts, and on those
// in each part, by name. The error is a [*PartitionError] for parts that cannot be told apart.
func PartitionedOf[T any](all T, parts map[string]T) (Partitioned[T], error) {
	p := NewPartitioned(all)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if name == "" {
			return p, &PartitionError{name, "is empty, must be a name"}
		}
		if err := p.checkName(name); err != nil {
			return p, err
		}
		p.put(name, parts[name])
	}
	return p, nil
}

// split returns what a state keeps of what was spent: on records in none of the parts, and on those in each part, by
// name; nil if there is no part. It is what [PartitionedOf] takes.
func split[T, S any](p *Partitioned[T], kept func(T) S) (all S, parts map[string]S) {
	for name, of := range p.parts {
		if parts == nil {
			parts = make(map[string]S, len(p.parts))
		}
		parts[name] = kept(of)
	}
	return kept(p.all), parts
}

// on are those on which a mechanism on a part counts: that part or, without a name, all.
func (p *Partitioned[T]) on(part string) iter.Seq2[string, T] {
	if part == "" {
		return p.All()
	}
	return func(yield func(string, T) bool) { yield(part, p.On(part)) }
}

// Clone returns a copy, which goes on by itself. One by assignment does not.
func (p *Partitioned[T]) Clone() Partitioned[T] { return Partitioned[T]{p.all, maps.Clone(p.parts)} }

// Step counts a mechanism on one part of the data or, without a name, on all of it. If a step fails, nothing is
// counted.
func (p *Partitioned[T]) Step(part string, step func(T) (T, error)) error {
	if part != "" {
		return p.stepOn(part, step)
	}
	all, err := step(p.all)
	if err != nil {
		return err
	}
	parts := make(map[string]T, len(p.parts))
	for name, before := range p.parts {
		if parts[name], err = step(before); err != nil {
			return err
		}
	}
	p.all, p.parts = all, parts
	return nil
}

func (p *Partitioned[T]) stepOn(part string, step func(T) (T, error)) error {
	if err := p.checkName(part); err != nil {
		return err
	}
	after, err := step(p.On(part))
	if err != nil {
		return err
	}
	p.put(part, after)
	return nil
}

// plainName returns the one name that stands for all that are the same text: in the normal form NFKC, with single
// spaces between words, and without characters that nobody sees.
func plainName(name string) string {
	seen := strings.Map(func(r rune) rune {
		if isInvisible(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, name)
	return strings.Join(strings.Fields(norm.NFKC.String(seen)), " ")
}

// isInvisible reports whether a character of a name is seen by nobody, or looks like a space and is none: beside those
// that Unicode says so of, the blank of Braille, the place of an object, a filler, a note without a head, blank
// hieroglyphs and joiners.
func isInvisible(r rune) bool {
	const blanks = "\u2800\ufffc\U00016fe4\U0001d159\U00013441\U00013442\u2d7f\U0001107f"
	return !unicode.IsPrint(r) || strings.ContainsRune(blanks, r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// hasForeignMark reports whether a mark of a name is of another script than the character before it: nobody may see it.
func hasForeignMark(name string) bool {
	var before rune // that is not a mark for all scripts
	for _, r := range name {
		if unicode.Is(unicode.Inherited, r) {
			continue
		}
		if unicode.IsMark(r) && !unicode.Is(unicode.Common, r) && !unicode.Is(scriptOf(r), before) {
			return true
		}
		before = r
	}
	return false
}

// scriptOf returns the script of a character, or one that has no characters.
func scriptOf(r rune) *unicode.RangeTable {
	for _, script := range unicode.Scripts {
		if unicode.Is(script, r) {
			return script
		}
	}
	return &unicode.RangeTable{}
}

// checkName refuses a name that is one too many, that JSON would change, so that two of them might become one, or
// that is another way to write the same text.
func (p *Partitioned[T]) checkName(part string) error {
	if _, isKnown := p.parts[part]; isKnown {
		return nil // as it was when it was new
	}
	if len(p.parts) >= MaxPartitions {
		return &PartitionError{part, fmt.Sprintf("is one too many: there are %d, the most that are told apart",
			MaxPartitions)}
	}
	if !utf8.ValidString(part) {
		return &PartitionError{part, "must be valid UTF-8"}
	}
	switch plain := plainName(part); {
	case plain == "":
		return &PartitionError{part, "must have characters that can be seen"}
	// NFKC parts many marks by one
	case strings.ContainsFunc(plain, func(r rune) bool { return r != ' ' && isInvisible(r) }):
		return &PartitionError{part, "must have at most 30 marks on a character"}
	case plain != part:
		const rule = "must be written %+q: two names that look alike are two budgets"
		return &PartitionError{part, fmt.Sprintf(rule, plain)}
	case hasForeignMark(part):
		return &PartitionError{part, "must have no marks of another script than the character before them"}
	}
	return nil
}

func (p *Partitioned[T]) put(part string, of T) {
	if p.parts == nil {
		p.parts = map[string]T{}
	}
	p.parts[part] = of
}

// On returns what was spent on the records of one part or, without a name, on those in none.
func (p *Partitioned[T]) On(part string) T {
	if of, isKnown := p.parts[part]; isKnown {
		return of
	}
	return p.all
}

// values are those of All, in no order.
func (p *Partitioned[T]) values() iter.Seq[T] {
	return func(yield func(T) bool) {
		if !yield(p.all) {
			return
		}
		for _, of := range p.parts {
			if !yield(of) {
				return
			}
		}
	}
}

// All returns what was spent on records in none of the parts, under the name "", and on those in each part, by name.
func (p *Partitioned[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		if !yield("", p.all) {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(p.parts)) {
			if !yield(name, p.parts[name]) {
				return
			}
		}
	}
}
