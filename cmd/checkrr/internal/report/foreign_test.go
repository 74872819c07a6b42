package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// hostile are texts that would act on a terminal, and what is shown of them.
var hostile = []struct{ text, escaped, name string }{
	{"plain ε\n\tP₀", "plain ε\n\tP₀", `"plain ε\n\tP₀"`},
	{"a b", "a b", "a b"},
	{"\x1b[31m", `\u001b[31m`, `"\x1b[31m"`},
	{"\r\b\x7f", `\u000d\u0008\u007f`, `"\r\b\x7f"`},
	{"\u009b1m", `\u009b1m`, `"\u009b1m"`},
	{"a\u202eb\u2066c\u200fd\u061ce", `a\u202eb\u2066c\u200fd\u061ce`, `"a\u202eb\u2066c\u200fd\u061ce"`},
	{"a\u200bb\ufeffc\u2028d\u2029e", `a\u200bb\ufeffc\u2028d\u2029e`, `"a\u200bb\ufeffc\u2028d\u2029e"`},
	{"a\u3164b\u115fc\ufe0fd\u17b4e\u180bf\u034fg", `a\u3164b\u115fc\ufe0fd\u17b4e\u180bf\u034fg`,
		`"a\u3164b\u115fc\ufe0fd\u17b4e\u180bf\u034fg"`},
	{"\U000e0041", `\udb40\udc41`, `"\U000e0041"`},
	{"a\xff\xe2\x80b", `a\xff\xe2\x80b`, `"a\xff\xe2\x80b"`},
	{"end\xe2\x80", `end\xe2\x80`, `"end\xe2\x80"`},
	{"\ufffd", "\ufffd", "\ufffd"},
}

func TestEscaped(t *testing.T) {
	t.Parallel()
	for _, test := range hostile {
		if got := string(Escaped([]byte(test.text))); got != test.escaped {
			t.Errorf("%q is escaped as %q, must be %q", test.text, got, test.escaped)
		}
		if got := Name(test.text); got != test.name {
			t.Errorf("%q is shown as %s, must be %s", test.text, got, test.name)
		}
		if got := OneLine(test.text); strings.ContainsAny(got, "\n\t") || string(Escaped([]byte(got))) != got {
			t.Errorf("%q is shown on a line as %q", test.text, got)
		}
	}
}

func TestEscapedJSONIsTheSame(t *testing.T) {
	t.Parallel()
	for _, test := range hostile {
		text, err := json.Marshal(test.text)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		if err := errors.Join(json.Unmarshal(text, &want), json.Unmarshal(Escaped(text), &got)); err != nil ||
			got != want {
			t.Errorf("%s is escaped as %s, which is %q, %v", text, Escaped(text), got, err)
		}
	}
}

// However a text is cut into pieces, what is printed is the same.
func TestPrinterInPieces(t *testing.T) {
	t.Parallel()
	for _, test := range hostile {
		for size := 1; size <= len(test.text); size++ {
			var b bytes.Buffer
			p := NewPrinter(&b)
			for rest := test.text; rest != ""; rest = rest[min(size, len(rest)):] {
				piece := rest[:min(size, len(rest))]
				if n, err := io.WriteString(p, piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := p.Flush(); err != nil || b.String() != test.escaped {
				t.Errorf("%q by %d bytes is printed as %q, must be %q; %v", test.text, size, b.String(), test.escaped,
					err)
			}
		}
	}
}

func TestPrinterKeepsTheFirstError(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	r.CloseWithError(io.ErrShortBuffer)
	p := NewPrinter(w)
	if _, err := io.WriteString(p, "x"); err != io.ErrShortBuffer || p.Flush() != err {
		t.Errorf("errors are %v and %v", err, p.Flush())
	}
}

func TestQuoteOfHostileText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\u202e":                         `"\u202e"`,
		"\u009b":                         `"\u009b"`,
		"\u2066\u200b":                   `"\u2066\u200b"`,
		"a\nb":                           `"a\nb"`,
		"\xff" + strings.Repeat("x", 50): `"\xff` + strings.Repeat("x", 39) + `…"`,
		strings.Repeat("x", 39) + "εε":   strings.Repeat("x", 39) + "…",
		strings.Repeat("1", 50) + "/" + strings.Repeat("3", 50): strings.Repeat("1", 24) + "…" + strings.Repeat("3", 16),
		strings.Repeat("\x80", 50):                              `"` + strings.Repeat(`\x80`, 36) + `…"`,
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q is quoted as %s, must be %s", text, got, want)
		}
	}
}
