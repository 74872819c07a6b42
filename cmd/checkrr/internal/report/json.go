package report

import (
	"encoding/json"
	"math"
	"math/big"
	"time"

	"checkrr/impl/interval"
)

// SchemaVersion changes when a program that reads the output has to.
const SchemaVersion = 1

// IntervalJSON is an interval in JSON: it contains a real number.
type IntervalJSON struct {
	Lower json.Number `json:"lower"`
	Upper json.Number `json:"upper"`
}

// WidthJSON is a relative width in JSON.
type WidthJSON struct {
	Requested float64 `json:"requested"`
	Reached   float64 `json:"reached"`
}

// ToJSON returns an interval in shortest decimals, rounded outward.
func ToJSON(i interval.Interval) IntervalJSON {
	return IntervalJSON{json.Number(Outward(i.Lower, false).String()), json.Number(Outward(i.Upper, true).String())}
}

// Ratio returns r as a ratio, or "" for nil.
func Ratio(r *big.Rat) string {
	if r == nil {
		return ""
	}
	return r.RatString()
}

// Microseconds returns a time in seconds, to the microsecond.
func Microseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }
