package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"checkrr/verify/audit"
)

// decodeRef is decode by encoding/json, one output after the other, for replies without
// fault.
func decodeRef(line []byte, parts bool, into *audit.Sample) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var r struct{ Outputs []any }
	if err := d.Decode(&r); err != nil {
		return err
	}
	for _, value := range r.Outputs {
		part, value, isInPart := inPartRef(value)
		if parts && !isInPart {
			return fmt.Errorf("%v is in no part", value)
		}
		if err := into.AddValue(part, value); err != nil {
			return err
		}
	}
	return nil
}

func inPartRef(output any) (part string, value any, ok bool) {
	m, _ := output.(map[string]any)
	part, ok = m["part"].(string)
	value, hasValue := m["value"]
	if !ok || len(m) > 2 || len(m) == 2 && !hasValue {
		return "", output, false
	}
	return part, value, true
}

// samplesOf decodes a reply in both ways.
func samplesOf(line string, n int, parts bool) (got, want []*audit.Group, err, errRef error) {
	var s, ref audit.Sample
	_, err = decode([]byte(line), 1, n, 0, parts, &s)
	errRef = decodeRef([]byte(line), parts, &ref)
	return s.Groups(), ref.Groups(), err, errRef
}

// sameShapes compares shapes by what they are written like.
var sameShapes = cmp.Comparer(func(a, b *audit.Shape) bool { return a.String() == b.String() })

var outputs = []string{
	"0", "-0", "1.5", "-1e-400", "1152921504606846976", `"a"`, `"a"`,
	`"a#"`, `"\u0061"`, `"é\ud83d\ude00"`, "true", "null",
	"[]", "[ ]", "[1]", "[1, 2]", "[ 1 , -2e3 ]", "[1, 2, 3]", "[1, [2]]", `[1,
	"2"]`, `[1, "2,3"]`, "[true]", "[null, 1]", "[{}]", `["nan", 1]`,
	"{}", `{"a": 1, "b": [2]}`, `{"b": [2], "a": 1}`,
	`{"part": "p"}`, `{"part": "p", "value": null}`, `{"part": "p", "value": 5}`,
	`{"value": [6, 7], "part": "p"}`, `{"value": "a", "part": "q"}`,
	`{"part": "\u0070", "value": "a"}`, `{"part": "", "value": 1}`,
	`{"part": 5}`, `{"part": 5, "value": 1}`, `{"part": null, "value": 1}`,
	`{"part": "p", "value": 1, "x": 2}`, `{"part": "p", "x": 2}`, `{"value": 2}`,
	`{"part": ["p"], "value": 1}`, `{"value": {"part": "p", "value": 1}}`,
	`{"part": "p", "value": {"part": "q", "value": 1}}`,
}

func TestPair_Decode(t *testing.T) {
	all := slices.Concat(outputs, outputs)
	line := `{"id": 1, "outputs": [` + strings.Join(all, ",") + "]}\n"
	got, want, err, errRef := samplesOf(line, len(all), false)
	if err != nil || errRef != nil {
		t.Fatal(err, errRef)
	}
	if diff := cmp.Diff(want, got, sameShapes); diff != "" {
		t.Error(diff)
	}
	for _, output := range outputs {
		got, want, err, errRef := samplesOf(`{"id": 1, "outputs": [`+output+"]}", 1, true)
		if (err == nil) != (errRef == nil) {
			t.Errorf("%s gives the error %v, want %v", output, err, errRef)
		}
		if diff := cmp.Diff(want, got, sameShapes); diff != "" {
			t.Errorf("%s: %s", output, diff)
		}
	}
}

// FuzzDecode checks that any line is read as encoding/json reads it, or refused with a
// reason on one line.
func FuzzDecode(f *testing.F) {
	for _, output := range outputs {
		f.Add(`{"id": 1, "outputs": [`+output+`, 2]}`, 2, false)
		f.Add(`{"outputs": [`+output+`], "id": 1e0}`, 1, true)
	}
	f.Add(`{"id": 1, "error": "x"}`, 1, false)
	f.Add(`{"id": 1, "outputs": [-Infinity]}`, 1, false)
	f.Fuzz(func(t *testing.T, line string, n int, parts bool) {
		got, want, err, errRef := samplesOf(line, n, parts)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Errorf("%q gives the error %q", line, err)
			}
			return
		}
		if errRef != nil {
			t.Fatalf("%q is read, want the error %v", line, errRef)
		}
		if diff := cmp.Diff(want, got, sameShapes); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, output := range map[string]string{
		"numbers": "-0.123456", "long numbers": "0.12345678901234567", "vectors": "[0.1234567, 0.7654321, 1]",
		"parts": `{"part": "top", "value": 0.123456}`, "texts": `"left"`,
	} {
		b.Run(name, func(b *testing.B) {
			const n = 10_000
			line := []byte(`{"id": 1, "outputs": [` + strings.Repeat(output+", ", n-1) + output + "]}\n")
			for b.Loop() {
				var s audit.Sample
				if _, err := decode(line, 1, n, 0, name == "parts", &s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "outputs/s")
		})
	}
}
