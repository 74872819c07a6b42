package ledger

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"checkrr/impl/interval"
)

// filterStates are what a rule remembers in a challenge, by numbers in the order in which they were met. The zero value
// has none.
type filterStates struct {
	all     []any
	numbers map[any]int32 // by key
	met     []meeting     // how each was met first
}

// meeting is the memory before, and the mechanism of the menu that was played then.
type meeting struct {
	before int32
	choice int
}

// noMemory is before the first memory.
const noMemory = -1

// number returns the number of a memory that follows another one, after a mechanism of the menu.
func (m *filterStates) number(memory any, before int32, choice int) (int32, error) {
	key := keyOf(memory)
	if key != nil && !reflect.ValueOf(key).Comparable() {
		return 0, fmt.Errorf("the memory of the rule %s is a %T, must be comparable by == or have a method Key() "+
			"any that returns what is", m.whenAlso(before, choice), memory)
	}
	n, met := m.numbers[key]
	if !met {
		if m.numbers == nil {
			m.numbers = map[any]int32{}
		}
		n = int32(len(m.all))
		m.numbers[key], m.all, m.met = n, append(m.all, memory), append(m.met, meeting{before, choice})
	}
	return n, nil
}

// keyed is a memory that says itself when it equals another.
type keyed interface{ Key() any }

// keyOf returns what equal memories have in common.
func keyOf(memory any) any {
	if k, ok := memory.(keyed); ok {
		return k.Key()
	}
	return memory
}

// when says by which mechanisms a memory was met first: "after mechanisms 1, 1, 2 of the menu".
func (m *filterStates) when(number int32) string {
	const most = 20
	if number == noMemory || m.met[number].before == noMemory {
		return "at the start"
	}
	var played []string
	for ; m.met[number].before != noMemory; number = m.met[number].before {
		played = append(played, fmt.Sprint(m.met[number].choice+1))
	}
	slices.Reverse(played)
	switch left := len(played) - most; {
	case left > 0:
		return fmt.Sprintf("after %d mechanisms, the last of them %s of the menu", len(played),
			strings.Join(played[left:], ", "))
	case len(played) == 1:
		return fmt.Sprintf("after mechanism %s of the menu", played[0])
	}
	return fmt.Sprintf("after mechanisms %s of the menu", strings.Join(played, ", "))
}

// whenAlso is when, for what a mechanism makes of a memory.
func (m *filterStates) whenAlso(before int32, choice int) string {
	if before == noMemory {
		return "at the start"
	}
	longer := filterStates{met: append(m.met[:len(m.met):len(m.met)], meeting{before, choice})}
	return longer.when(int32(len(m.met)))
}

// reading is what an odometer shows for a memory: an interval, of which no end is NaN.
func (m *filterStates) reading(r OdometerRule, number int32) (interval.Float, error) {
	x := r.Reading(m.all[number])
	if math.IsNaN(x.Lo) || math.IsNaN(x.Hi) || x.Lo > x.Hi {
		return x, fmt.Errorf("the reading %s is [%g, %g], must be a number, +Inf, or an interval of these",
			m.when(number), x.Lo, x.Hi)
	}
	return x, nil
}
