package input

import (
	"math/big"
	"strings"
	"testing"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.0e9999", "0"}, {"1", "1"}, {"+0.1", "1/10"}, {"-2.50", "-5/2"},
		{".5", "1/2"}, {"5.", "5"}, {"1e-6", "1/1000000"}, {"1E-6", "1/1000000"}, {"1e+2", "100"},
		{"2.5e1", "25"}, {"1e-0003", "1/1000"}, {"007.5", "15/2"}, {"0.1000", "1/10"},
		{"3/2", "3/2"}, {"6/4", "3/2"}, {"+1/3", "1/3"}, {"-1/3", "-1/3"}, {"010/03", "10/3"}, {"0/7", "0"},
		{"0.30000000000000000000000000000001", "30000000000000000000000000000001/100000000000000000000000000000000"},
	}
	for _, tt := range tests {
		want, _ := new(big.Rat).SetString(tt.want)
		got, err := ParseNumber(tt.text)
		if err != nil || got.Cmp(want) != 0 {
			t.Errorf("parseNumber(%q) = %v, %v, want %v", tt.text, got, err, want)
		}
	}
}

func TestParseNumberLimits(t *testing.T) {
	t.Parallel()
	nines := strings.Repeat("9", MaxDigits)
	for _, text := range []string{nines, "." + nines, nines + "e10000", nines + "e-10000", nines + "/" + nines} {
		if _, err := ParseNumber(text); err != nil {
			t.Errorf("parseNumber(%.20s...) fails: %v", text, err)
		}
	}
}

func TestParseNumberErrors(t *testing.T) {
	t.Parallel()
	const rule = ", must be a decimal such as 0.1 or 1e-6, or a ratio such as 3/2"
	const exponentRule = ", must have one between -10000 and 10000"
	tests := []struct{ text, want string }{
		{"", `is ""` + rule}, {".", "is ." + rule}, {"-", "is -" + rule}, {"abc", "is abc" + rule},
		{"1_000", "is 1_000" + rule}, {"0x10", "is 0x10" + rule}, {"0b1", "is 0b1" + rule},
		{".inf", "is .inf" + rule}, {"Infinity", "is Infinity" + rule}, {"NaN", "is NaN" + rule},
		{".nan", "is .nan" + rule},
		{"1e", "is 1e" + rule}, {"e5", "is e5" + rule}, {"1e5.5", "is 1e5.5" + rule}, {"1e--5", "is 1e--5" + rule},
		{"--1", "is --1" + rule}, {"1.2.3", "is 1.2.3" + rule}, {"1 ", `is "1 "` + rule}, {"1,5", `is "1,5"` + rule},
		{"1/2/3", "is 1/2/3" + rule}, {"1/-2", "is 1/-2" + rule}, {"1.5/2", "is 1.5/2" + rule},
		{"/2", "is /2" + rule}, {"1/", "is 1/" + rule},
		{"٣", `is "٣"` + rule}, {"1\n2", `is "1\n2"` + rule}, {"0x1p-2", "is 0x1p-2" + rule},
		{strings.Repeat("x", 99), "is " + strings.Repeat("x", 40) + "…" + rule},
		{"3/0", "is 3/0, must have a denominator other than 0"},
		{"0/00", "is 0/00, must have a denominator other than 0"},
		{"1e10001", "has the exponent 10001" + exponentRule}, {"1e-10001", "has the exponent -10001" + exponentRule},
		{"1e1000000000", "has the exponent 1000000000" + exponentRule},
		{"1e99999999999999999999999", "has the exponent 99999999999999999999999" + exponentRule},
		{strings.Repeat("1", 401), "has 401 digits, must have at most 400"},
		{"0." + strings.Repeat("0", 400), "has 401 digits, must have at most 400"},
		{"1/" + strings.Repeat("1", 401), "has 401 digits, must have at most 400"},
	}
	for _, tt := range tests {
		got, err := ParseNumber(tt.text)
		if err == nil || err.Error() != tt.want {
			t.Errorf("parseNumber(%q) = %v, %v\nwant error %s", tt.text, got, err, tt.want)
		}
	}
}

func TestParseCount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int
		err  string
	}{
		{"0", 0, ""}, {"17", 17, ""}, {"+17", 17, ""}, {"-17", -17, ""}, {"0100", 100, ""},
		{"1.0", 1, ""}, {"1e3", 1000, ""}, {"-1.5e1", -15, ""}, {"1e9", 1e9, ""},
		{"1.5", 0, "is 1.5, must be a whole number such as 100"},
		{"1e-3", 0, "is 1e-3, must be a whole number such as 100"},
		{"4/2", 0, "is 4/2, must be a whole number such as 100"},
		{"1000000000000000000", 0, "is 1000000000000000000, must have at most 18 digits"},
		{"1e30", 0, "is 1e30, must have at most 18 digits"},
		{"--1", 0, "is --1, must be a whole number such as 100"},
		{"", 0, `is "", must be a whole number such as 100`},
		{"0x10", 0, "is 0x10, must be a whole number such as 100"},
		{"99999999999999999999", 0, "is 99999999999999999999, must have at most 18 digits"},
	}
	for _, tt := range tests {
		got, err := ParseCount(tt.text)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("ParseCount(%q) = %d, %v, want %d, %s", tt.text, got, err, tt.want, tt.err)
		}
	}
}

// FuzzNumber checks parseNumber against big.Rat's reader on what both accept.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0.1", "1e-6", "3/2", "-.5", "010/3", "1_0", "0x1p4", "1e999999999", "", "+"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseNumber(text)
		if err != nil || strings.Contains(text, "/") {
			return // big.Rat reads 010/3 as octal
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok || got.Cmp(want) != 0 {
			t.Errorf("parseNumber(%q) = %v, big.Rat reads %v", text, got, want)
		}
	})
}

func TestParseMemory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"64 MiB": 64 << 20, "1 GiB": 1 << 30, "1.5GiB": 3 << 29, "1/2 TiB": 1 << 39, "1e5 kB": 1e8, "4 TiB": 1 << 42,
		"65537KiB": 65537 << 10, "100000.0005 kB": 1e8,
	} {
		if got, err := ParseMemory(text); got != want || err != nil {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	const form, size = "must be a number with a unit, such as 512 MiB", "must be between 64 MiB and 4 TiB"
	for text, want := range map[string]string{
		"": form, "GiB": form, "1": form, "1e9": form, "x GiB": form, "1 gib": form, "1 G": form, "NaN GiB": form,
		"1 GiB GiB": form,
		"63 MiB":    size, "0 GiB": size, "-1 GiB": size, "5 TiB": size, "1e400 GiB": size, "1e-400 GiB": size,
	} {
		if got, err := ParseMemory(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %d, %v, want the error %s", text, got, err, want)
		}
	}
}
