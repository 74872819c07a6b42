package input

import (
	"strings"
	"testing"
)

func TestParseMemory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"64 MiB": 64 << 20, "1 GiB": 1 << 30, "1.5GiB": 3 << 29, "1/2 TiB": 1 << 39, "1e5 kB": 1e8, "4 TiB": 1 << 42, "65537KiB": 65537 << 10, "100000.0005 kB": 1e8,
	} {
		if got, err := ParseMemory(text); got != want || err != nil {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	const form, size = "must be a number with a unit, such as 512 MiB", "must be between 64 MiB and 4 TiB"
	for text, want := range map[string]string{
		"": form, "GiB": form, "1": form, "1e9": form, "x GiB": form, "1 gib": form, "1 G": form, "NaN GiB": form, "1 GiB GiB": form,
		"63 MiB": size, "0 GiB": size, "-1 GiB": size, "5 TiB": size, "1e400 GiB": size, "1e-400 GiB": size,
	} {
		if got, err := ParseMemory(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %d, %v, want the error %s", text, got, err, want)
		}
	}
}
