package report

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	v2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	v1 "github.com/go-json-experiment/json/v1"

	"checkrr/impl/interval"
	"checkrr/impl/ledger"
)

// SchemaVersion changes when a program that reads the output has to.
const SchemaVersion = 2

// Object is an object of JSON: keys, each followed by its value. A key that ends in ? is left out if its value is
// empty.
type Object []any

// Output is what a command prints: an object that begins with the version.
func Output(pairs ...any) Object { return append(Object{"schema_version", SchemaVersion}, pairs...) }

// MarshalJSONTo writes the object with its keys in their order; null if it is nil.
func (o Object) MarshalJSONTo(e *jsontext.Encoder) error {
	if o == nil {
		return e.WriteToken(jsontext.Null)
	}
	err := e.WriteToken(jsontext.BeginObject)
	for i := 0; i < len(o) && err == nil; i += 2 {
		key, isOptional := strings.CutSuffix(o[i].(string), "?")
		if isOptional && isEmpty(reflect.ValueOf(o[i+1])) {
			continue
		}
		if err = e.WriteToken(jsontext.String(key)); err == nil {
			err = v2.MarshalEncode(e, o[i+1])
		}
	}
	if err != nil {
		return err
	}
	return e.WriteToken(jsontext.EndObject)
}

// isEmpty reports whether there is nothing in a value, or it is zero.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	}
	return !v.IsValid() || v.IsZero()
}

// Doubles is output for an encoder of JSON: every number is a double, and what a double does not hold of the number
// of a key follows as a text, or null, in a key with the suffix _exact.
type Doubles struct{ Output any }

// MarshalJSON puts these keys in at the end, as encoders take one value for one field.
func (d Doubles) MarshalJSON() ([]byte, error) {
	var w doubleWriter
	byType := v2.WithMarshalers(v2.JoinMarshalers(
		v2.MarshalToFunc(w.write),
		v2.MarshalToFunc(func(e *jsontext.Encoder, n int) error { return w.whole(e, big.NewInt(int64(n))) }),
		v2.MarshalToFunc(func(e *jsontext.Encoder, n int64) error { return w.whole(e, big.NewInt(n)) }),
		v2.MarshalToFunc(func(e *jsontext.Encoder, n uint64) error { return w.whole(e, new(big.Int).SetUint64(n)) }),
	))
	text, err := v2.Marshal(d.Output, v1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), byType)
	if err != nil {
		return nil, err
	}
	return w.insertInto(text), nil
}

// doubleWriter writes numbers, and notes the keys that have to follow.
type doubleWriter struct{ keys []exactKey }

// exactKey is a key with its value, and how many bytes there are before it.
type exactKey struct {
	before int64
	text   []byte
}

func (w *doubleWriter) write(e *jsontext.Encoder, n Number) error {
	if err := e.WriteValue(jsontext.Value(n.token)); err != nil || n.exact == "" {
		return err
	}
	if kind, _ := e.StackIndex(e.StackDepth()); kind != '{' {
		return nil // an element of a list has no key
	}
	key, err := json.Marshal(e.StackPointer().LastToken() + "_exact")
	Must(err)
	value := []byte(null)
	if n.exact != null {
		value, err = json.Marshal(n.exact)
		Must(err)
	}
	w.keys = append(w.keys, exactKey{e.OutputOffset(), slices.Concat([]byte(","), key, []byte(":"), value)})
	return nil
}

// whole writes a count, or a seed.
func (w *doubleWriter) whole(e *jsontext.Encoder, n *big.Int) error { return w.write(e, Near.Whole(n)) }

func (w *doubleWriter) insertInto(text []byte) (whole []byte) {
	var done int64
	for _, k := range w.keys {
		whole = append(append(whole, text[done:k.before]...), k.text...)
		done = k.before
	}
	return append(whole, text[done:]...)
}

// IntervalJSON is an interval in JSON: it contains a real number.
type IntervalJSON struct {
	Lower Number `json:"lower"`
	Upper Number `json:"upper"`
}

// ToJSON returns an interval, rounded outward.
func ToJSON(i interval.Interval) IntervalJSON {
	return IntervalJSON{Down.Float(i.Lower), Up.Float(i.Upper)}
}

// Exactly is [ToJSON] of a number that is known, unless that is nil.
func Exactly(r *big.Rat, i interval.Interval) IntervalJSON {
	if r == nil {
		return ToJSON(i)
	}
	return IntervalJSON{Down.Rat(r), Up.Rat(r)}
}

// Amount is an amount in JSON, rounded to a side.
func (s Side) Amount(a ledger.Amount) Object {
	return Object{"eps", s.Sum(a.Eps), "delta", s.Sum(a.Delta)}
}

// WidthJSON is a relative width.
func WidthJSON(requested float64, reached *big.Float) Object {
	return Object{"requested", requested, "reached", Above(reached)}
}

// Ratio returns r as a ratio, or "" for nil.
func Ratio(r *big.Rat) string {
	if r == nil {
		return ""
	}
	return r.RatString()
}

// WriteJSON writes an output as a line of JSON, in which no text has ##, which begins a command for runners.
func WriteJSON(w io.Writer, output any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(Doubles{output}); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("##"), []byte(`#\u0023`)))
	return err
}

// Microseconds returns a time in seconds, to the microsecond.
func Microseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }
