package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// standing is where something stands in a value, as [json.Unmarshal] returns it.
type standing struct{ name, text string }

// placesOf appends the places of a value, and of each list and object how many elements it has and how many places
// are inside: a different way from reading the shape.
func placesOf(value any, name string, places []standing, lists []string) ([]standing, []string) {
	at := len(lists)
	from, length := len(places), 0
	switch v := value.(type) {
	case []any:
		lists, length = append(lists, ""), len(v)
		for i, x := range v {
			places, lists = placesOf(x, fmt.Sprintf("%s[%d]", name, i), places, lists)
		}
	case map[string]any:
		lists, length = append(lists, ""), len(v)
		for _, k := range slices.Sorted(maps.Keys(v)) {
			key := quoted(k)
			places, lists = placesOf(v[k], name+"."+key[1:len(key)-1], places, lists)
		}
	case float64:
		return append(places, standing{name, fmt.Sprint("number ", v)}), lists
	case string:
		return append(places, standing{name, "text " + v}), lists
	default:
		return append(places, standing{name, fmt.Sprint(v)}), lists
	}
	lists[at] = fmt.Sprintf("%s: %d elements, places %d to %d", name, length, from, len(places))
	return places, lists
}

// namesOf appends the names of entries of all objects in a value.
func namesOf(value any, name string, keys []standing) []standing {
	switch v := value.(type) {
	case []any:
		for i, x := range v {
			keys = namesOf(x, fmt.Sprintf("%s[%d]", name, i), keys)
		}
	case map[string]any:
		for i, k := range slices.Sorted(maps.Keys(v)) {
			key := quoted(k)
			keys = append(keys, standing{fmt.Sprintf("name %d in %s", i+1, cmp.Or(name, "the output")), "text " + k})
			keys = namesOf(v[k], name+"."+key[1:len(key)-1], keys)
		}
	}
	return keys
}

// written writes what a layout says in the same way.
func written(l *layout, names map[pathID]string, numbers []float64) (places []standing, lists []string) {
	for _, s := range l.spots {
		text := map[kind]string{kindNull: "<nil>", kindFalse: "false", kindTrue: "true",
			kindText: "text " + s.text}[s.kind]
		if s.kind == kindNumber {
			text = fmt.Sprint("number ", numbers[s.index])
		}
		places = append(places, standing{names[s.path], text})
	}
	for _, s := range l.lists {
		lists = append(lists, fmt.Sprintf("%s: %d elements, places %d to %d", names[s.path], s.length, s.from, s.to))
		if s.size() != s.to-s.from {
			lists = append(lists, "which has another size")
		}
	}
	return places, lists
}

// someValue returns a value of JSON.
func someValue(dice *rand.Rand, depth int) any {
	words := []string{"", "a", "b c", `"`, `\`, "#", "null", "[1]", "µ\n", "<&>\u2028"}
	switch k := dice.IntN(9); {
	case k < 2 && depth > 0:
		list := []any{}
		for range dice.IntN(4) {
			list = append(list, someValue(dice, depth-1))
		}
		return list
	case k < 4 && depth > 0:
		object := map[string]any{}
		for range dice.IntN(4) {
			object[words[dice.IntN(len(words))]] = someValue(dice, depth-1)
		}
		return object
	case k == 5:
		return dice.IntN(2) == 0
	case k == 6:
		return nil
	case k == 7:
		return words[dice.IntN(len(words))]
	}
	return float64(dice.IntN(100))
}

// A layout has what an output has, where that stands, by paths that are different for different places.
func TestLayout(t *testing.T) {
	for seed := range uint64(2000) {
		value := someValue(diceOf(seed), 4)
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		s := &Sample{}
		if err := s.AddValue("", value); err != nil {
			t.Fatal(err)
		}
		g, names := s.Groups()[0], map[pathID]string{}
		l := layoutOf("", g.Shape, names)
		places, lists := written(l, names, g.Numbers)
		wantPlaces, wantLists := placesOf(value, "", nil, nil)
		wantPlaces = namesOf(value, "", wantPlaces)
		if !slices.Equal(places, wantPlaces) || !slices.Equal(lists, wantLists) {
			t.Fatalf("%s:\n%q %q, must be\n%q %q", text, places, lists, wantPlaces, wantLists)
		}
		for i, s := range l.spots {
			for _, hint := range []int{0, i, len(l.spots)} {
				if at := l.find(s.path, hint); at != i {
					t.Fatalf("%s: place %d is found at %d", text, i, at)
				}
			}
		}
		for i, s := range l.lists {
			if at := l.findList(s.path); at != i {
				t.Fatalf("%s: list %d is found at %d", text, i, at)
			}
		}
		if l.find(partPath, 0) != -1 || l.findList(partPath) != -1 {
			t.Fatalf("%s has a part", text)
		}
	}
}

// The name of the part is a text at a place of its own, after the others. A layout may be used again.
func TestLayout_Part(t *testing.T) {
	names := map[pathID]string{}
	l := layoutOf("bot", parsed("[#,true]"), names)
	last := l.spots[len(l.spots)-1]
	if len(l.spots) != 3 || last.path != partPath || last.kind != kindText || last.text != "bot" ||
		names[partPath] != "the part" {
		t.Errorf("%+v, %v", l.spots, names)
	}
	l.read("", Text("a"), nil)
	if len(l.spots) != 1 || len(l.lists) != 0 || l.spots[0].text != "a" || l.spots[0].path != rootPath {
		t.Errorf("read again: %+v", l)
	}
}
