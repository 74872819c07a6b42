package loss

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// reread returns the sum that the text of s stands for.
func reread(t interface{ Fatal(args ...any) }, s Sum) (again Sum) {
	text, err := s.MarshalText()
	if err == nil {
		err = again.UnmarshalText(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// sameHeld reports whether two sums are held alike: whatever is added to them, they are rounded at the same time.
func sameHeld(a, b Sum) bool {
	same := func(x, y *big.Rat) bool { return x == nil && y == nil || x != nil && y != nil && x.Cmp(y) == 0 }
	return a.units == b.units && same(a.rest, b.rest) && same(a.exp, b.exp) && a.rounded == b.rounded
}

// TestLaw_SumTextGoesOn: a sum that was written and read between any two terms is the same as one that was not.
func TestLaw_SumTextGoesOn(t *testing.T) {
	for name, bits := range map[string]int{"as always": 8192, "rounded often": 60} {
		t.Run(name, func(t *testing.T) {
			ShortSums(t, bits)
			rapid.Check(t, func(t *rapid.T) {
				var once, again Sum
				for range rapid.IntRange(0, 20).Draw(t, "terms") {
					e := Of(Drawn(t, "eps"))
					once, again = once.Plus(e), reread(t, again).Plus(e)
					if !sameHeld(once, again) || !sameHeld(again, reread(t, again)) {
						t.Fatalf("%#v is not %#v", again, once)
					}
				}
			})
		})
	}
}

func TestSumText_Forms(t *testing.T) {
	for want, s := range map[string]Sum{
		"0":                   {},
		"0.3":                 plus(nats("0.3")),
		"12":                  plus(nats("12")),
		"1/3":                 plus(nats("1/3")),
		"-1/3":                Sum{}.Minus(plus(nats("1/3"))),
		"0.5 + 1/3 + ln(3/2)": plus(nats("1/2"), exp("3/2"), nats("1/3")),
		"ln(5/1)":             plus(exp("5")),
	} {
		if got, _ := s.MarshalText(); string(got) != want || !sameHeld(s, reread(t, s)) {
			t.Errorf("%v is written as %s, want %s", s, got, want)
		}
	}
	var s Sum
	if err := s.UnmarshalText([]byte("340282366920938463463.374607431768211455")); err != nil ||
		s.units != (uint128{1<<64 - 1, 1<<64 - 1}) {
		t.Errorf("the most units are %v, %v", s.units, err)
	}
}

func TestSumText_Faults(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "must be a sum such as",
		"x":                     "must be a sum such as",
		"0.3 + 0.3":             "must be a sum such as",
		"1/3 + 1/3":             "must be a sum such as",
		"ln(2/1) + ln(2/1)":     "must be a sum such as",
		"1/0":                   "must be a sum such as",
		"1/3/4":                 "must be a sum such as",
		"1/-3":                  "must be a sum such as",
		"ln(2":                  "must be a sum such as",
		"ln(2)":                 "must be a sum such as",
		"1e3":                   "must be a sum such as",
		"0x10/3":                "must be a sum such as",
		"-0.1":                  "no decimal below 0",
		".5":                    "must be a sum such as",
		"1.":                    "must be a sum such as",
		"0.1234567890123456789": "must be a sum such as",
		"340282366920938463463.374607431768211456": "must be a sum such as",
		"ln(0/1)":  "not more than 0",
		"ln(-1/2)": "not more than 0",
		strings.Repeat("7", 1300) + "/" + strings.Repeat("3", 1301): "must take at most 8192",
		strings.Repeat("7", 4000) + "/3":                            "must have at most 4000",
	} {
		s := plus(nats("5"))
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		} else if s.Cmp(plus(nats("5"))) != 0 {
			t.Errorf("%.60s changed the sum", text)
		}
	}
	var eighth Sum
	if err := eighth.UnmarshalText([]byte("010/80")); err != nil || eighth.Cmp(plus(nats("1/8"))) != 0 {
		t.Errorf("010/80 is %v, %v", eighth, err)
	}
}
