package command

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/state"
	"checkrr/impl/ledger"
)

// variedLedger has every kind of number, events with and without a dp, blank lines, and what fits and does not without
// ODP.
var variedLedger = []string{
	`{"mechanism": "a", "parts": {"few": 0.1, "many": 0.4}, "delta": 1e-6, "observed": "few"}`,
	``,
	`{"mechanism": "b", "parts": {"all": "1/3"}, "delta": 0, "observed": "all"}`,
	`{"mechanism": "a", "parts": {"few": 0.1, "many": {"exp_eps": "3/2"}}, "delta": "1/3000000", "observed": "few"}`,
	`{"mechanism": "é", "parts": {"few": 0.1, "many": {"exp_eps": "3/2"}}, "delta": 0, "observed": "many"}`,
	`{"mechanism": "b", "parts": {"all": 0.2}, "delta": 1e-7, "observed": "all", "dp": {"exp_eps": "8/7", "delta": ` +
		`"1/7000000"}}`,
	`  `,
	`{"mechanism": "d", "parts": {"few": 1e-30, "many": 0.5}, "delta": 0, "observed": "few"}`,
	`{"mechanism": "a", "parts": {"few": 0.05, "many": 0.3}, "delta": 0, "observed": "few"}`,
	`{"mechanism": "p", "parts": {"few": 0.01, "many": 0.03}, "delta": 0, "observed": "few", "partition": "2026-11"}`,
	`{"mechanism": "p", "parts": {"all": 0.02}, "delta": 1e-9, "observed": "all", "partition": "2026-12", "dp": ` +
		`{"eps": 0.02}}`,
	`{"mechanism": "p", "parts": {"few": 0.01, "many": 0.03}, "delta": 0, "observed": "many"}`,
}

// statefulCommands are commands that go on from a state.
var statefulCommands = []string{
	"account",
	"account --budget eps=3,delta=1e-5",
	"account --budget eps=1.65,delta=1e-5", // within, but not without ODP
	"account --budget exp_eps=53/10,delta=1/3",
	"account --budget eps=6,delta=1e-5 --rule adaptive",
	"account --budget exp_eps=500,delta=1/30000 --rule zcdp --leak 1/60000",
	"account --budget eps=3,delta=1e-5 --rule odp-advanced",
	"account --budget eps=3,delta=1e-5 --rule odp-advanced --lambda 21/2 --leak 3e-6",
	"odometer --delta 1e-5 --rule filter --target-eps 2",
	"odometer --delta 1e-5 --rule mixture",
	"odometer --delta 1e-5 --rule stitched --v0 1e-3 --leak 1/300000",
	"odometer --delta 1e-5 --rule rogers --size 100",
	"odometer --delta 1/3 --rule best",
}

// going returns the flags for a state that is begun if it is not there.
func going(file string) []string {
	if _, err := os.Stat(file); err != nil {
		return []string{"--state", file, "--new-state"}
	}
	return []string{"--state", file}
}

// commanded runs a command on a ledger from standard input.
func commanded(command, ledger string, more ...string) (code int, stdout, stderr string) {
	return checkrr(ledger, append(append(strings.Fields(command), "-"), more...)...)
}

// TestStateCutAnywhere: a ledger that is cut at each line, or at one of them, gives the answer of the whole.
func TestStateCutAnywhere(t *testing.T) {
	t.Parallel()
	whole := strings.Join(variedLedger, "\n") + "\n"
	for i, command := range statefulCommands {
		for j, form := range []string{"", "--json"} {
			if !*full && (i+j)%2 > 0 {
				continue
			}
			t.Run(command+" "+form, func(t *testing.T) {
				wantCode, want, _ := commanded(command+" "+form, whole)
				for cut := range len(variedLedger) + 1 {
					if !*full && cut > 0 && (cut+len(command))%6 > 0 {
						continue
					}
					state := filepath.Join(t.TempDir(), "spent")
					parts := []string{strings.Join(variedLedger[:cut], "\n"), strings.Join(variedLedger[cut:], "\n")}
					if cut == 0 {
						parts = variedLedger // each line by itself
					}
					var got, points string
					var code int
					for _, part := range parts {
						code, got, _ = commanded(command+" "+form, part+"\n", going(state)...)
						points += pointsOf(got)
					}
					if strings.HasPrefix(command, "odometer") {
						if form != "" && points != pointsOf(want) || form == "" && lastLine(got) != lastLine(want) {
							t.Errorf("cut at %d:\n%s\nwhole:\n%s", cut, got, want)
						}
					} else if code != wantCode || got != want {
						t.Errorf("cut at %d: exit code %d\n%s\nwhole: %d\n%s", cut, code, got, wantCode, want)
					}
				}
			})
		}
	}
}

// pointsOf returns the points of an odometer in JSON, each followed by a comma.
func pointsOf(out string) string {
	_, points, _ := strings.Cut(out, `"points":[`)
	points, _, _ = strings.Cut(points, "]")
	if points != "" {
		points += ","
	}
	return points
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestStateEndsEarly: where an event is refused or a line is faulty, the state holds what came before, and one goes on
// from there.
func TestStateEndsEarly(t *testing.T) {
	t.Parallel()
	big := strings.Replace(variedLedger[0], "0.4", "400", 1)
	for _, command := range statefulCommands {
		for kind, wrong := range map[string]string{"refused": big, "faulty": `{"mechanism": "a"`} {
			if kind == "refused" && !strings.Contains(command, "budget") {
				continue
			}
			state := filepath.Join(t.TempDir(), "spent")
			commanded(command, strings.Join(variedLedger[:2], "\n")+"\n", going(state)...)
			rest := append(append([]string{}, variedLedger[2:4]...), wrong)
			code, got, stderr := commanded(command, strings.Join(rest, "\n")+"\n", "--state", state)
			if wantCode := map[string]int{"refused": exitRefuted, "faulty": exitUsage}[kind]; code != wantCode ||
				!strings.Contains(stderr, "checkrr: "+state+" holds the events before line 3\n") {
				t.Errorf("%s, %s: exit code %d, %s", command, kind, code, stderr)
			}
			_, want, _ := commanded(command, strings.Join(append(append([]string{}, variedLedger[:4]...), wrong),
				"\n")+"\n")
			if lines := regexp.MustCompile(`line \d+`); strings.HasPrefix(command, "account") &&
				lines.ReplaceAllString(got, "line") != lines.ReplaceAllString(want, "line") {
				t.Errorf("%s, %s:\n%s\nwhole:\n%s", command, kind, got, want)
			}
			flags := []string{"--state", state}
			if kind == "refused" { // it stays ended until it is told to go on
				before := contents(t, state)
				code, got, stderr := commanded(command, strings.Join(variedLedger[4:], "\n"), flags...)
				isSaid := strings.Contains(stderr, "the account ended when a was refused, at line 5 of all")
				if code != exitRefuted || got != "" || !isSaid || contents(t, state) != before {
					t.Errorf("%s, ended: exit code %d, %q, %s", command, code, got, stderr)
				}
				flags = append(flags, "--reopen")
			}
			_, got, _ = commanded(command, strings.Join(variedLedger[4:], "\n"), flags...)
			_, want, _ = commanded(command, strings.Join(variedLedger, "\n"))
			if strings.HasPrefix(command, "account") && got != want || lastLine(got) != lastLine(want) {
				t.Errorf("%s, %s, gone on:\n%s\nwhole:\n%s", command, kind, got, want)
			}
		}
	}
}

var libraryWords = regexp.MustCompile(`json: |jsontext|unmarshal|strconv|impl\.|nil|%!|panic`)

// refusesState requires that a state is refused, with its name and no word of a library, and left as it is.
func refusesState(t *testing.T, command, file, text string) {
	t.Helper()
	write(t, file, text)
	code, stdout, stderr := commanded(command, variedLedger[0], "--state", file)
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, file) || libraryWords.MatchString(stderr) {
		t.Errorf("%s: exit code %d, %s%s\n%s", command, code, stdout, stderr, text)
	}
	if contents(t, file) != text {
		t.Errorf("%s: the state was written over", command)
	}
}

// TestStateIsValidated: a state that is cut off, or in which any value has another type or is one that no ledger has,
// is refused, even if somebody has forged its checksum.
func TestStateIsValidated(t *testing.T) {
	t.Parallel()
	for _, command := range []string{statefulCommands[0], statefulCommands[2], statefulCommands[4], statefulCommands[6],
		statefulCommands[9]} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "spent")
			events := 11 // two partitions
			if command == statefulCommands[0] {
				events = 9 // none
			}
			commanded(command, strings.Join(variedLedger[:events], "\n"), going(file)...)
			good := contents(t, file)
			for n := 0; n < len(good)-1; n += 1 + n/4 {
				refusesState(t, command, file, good[:n])
			}
			for _, text := range []string{"", "x", "null", "[]", "{}", good + "{}", good + " ",
				strings.Replace(good, "{", `{"command": "account",`, 1)} {
				refusesState(t, command, file, text)
				refusesState(t, command, file, resealed(text))
			}
			others := []string{`null`, `-5`, `0.5`, `1e30`, `[1]`, `{"z": 1}`, `"y"`, `"-1/3"`, `"2/6"`, `"ln(1/2)"`}
			if command == statefulCommands[0] { // what an event added to each sum is known
				others = append(others, `"0.0000001"`, `"ln(9/8)"`)
			}
			for i, at := range valuesOf(good) {
				value := good[at[0]:at[1]]
				isName := strings.HasSuffix(good[:at[0]], `"mechanism": `)
				for j, other := range others {
					if isName && other[0] == '"' || other == value || !*full && (i+j)%8 != 0 {
						continue
					}
					refusesState(t, command, file, resealed(good[:at[0]]+other+good[at[1]:]))
				}
			}
			write(t, file, resealed(good))
			if code, _, stderr := commanded(command, variedLedger[0], "--state", file); code != exitOK {
				t.Errorf("the state is refused though it is good: %s", stderr)
			}
		})
	}
}

// valuesOf returns where the numbers, strings and other scalars of a state are, but for keys and the checksum.
func valuesOf(text string) (all [][2]int) {
	scalar := regexp.MustCompile(`(?:": |\n +)("[^"\n]*"|-?[0-9.e+]+|true|false|null)(?:,|\n)`)
	for _, at := range scalar.FindAllStringSubmatchIndex(text, -1) {
		if !strings.HasSuffix(text[:at[2]], `"checksum": `) {
			all = append(all, [2]int{at[2], at[3]})
		}
	}
	return all
}

// resealed returns a state with the checksum that it ought to have.
func resealed(text string) string {
	key := regexp.MustCompile(`"checksum": "[0-9a-f]*"`)
	if !key.MatchString(text) {
		return text
	}
	empty := key.ReplaceAllString(text, `"checksum": ""`)
	return string(state.Seal([]byte(empty)))
}

// TestStateOutlivesTheOutput: where the result cannot be written, the state is.
func TestStateOutlivesTheOutput(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"account", "account --json", "odometer --delta 1e-5",
		"odometer --delta 1e-5 --json"} {
		file := filepath.Join(t.TempDir(), "spent")
		args := append(strings.Fields(command), append(going(file), "-")...)
		var stderr strings.Builder
		if code := execute(args, strings.NewReader(one), closedPipe{}, &stderr); code != exitUsage {
			t.Errorf("%s: exit code %d", command, code)
		}
		isSaid := strings.Contains(stderr.String(), file+" holds the events of this ledger all the same")
		if text := contents(t, file); !strings.Contains(text, `"events": 1`) || !isSaid {
			t.Errorf("%s: the state is %q, %s", command, text, stderr.String())
		}
	}
}

// TestStateNotWritten: a result whose state could not be written says so, and the exit code does, whatever the verdict.
func TestStateNotWritten(t *testing.T) {
	t.Parallel()
	refused := one + "\n" + one
	for _, tt := range []struct{ command, ledger, says string }{
		{"account --budget eps=1", one, "but nothing is charged: the state could not be written"},
		{"account --budget eps=1", refused, "but nothing is charged: the state could not be written"},
		{"account --budget eps=1 --json", refused, `"error":"`},
		{"account --budget eps=1 --json", one, `"error":"`},
		{"odometer --delta 1e-5 --json", one, `"error":"`},
	} {
		folder := filepath.Join(t.TempDir(), "lost")
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, "spent")
		if code, _, stderr := commanded(tt.command, "", going(file)...); code != exitOK {
			t.Fatal(stderr)
		}
		ledger := &losing{strings.NewReader(tt.ledger), folder}
		var stdout, stderr strings.Builder
		code := execute(append(strings.Fields(tt.command), "--state", file, "-"), ledger, &stdout, &stderr)
		if _, err := os.Stat(folder); err == nil {
			t.Skip("the folder of an open file cannot be renamed")
		}
		if code != exitUsage || !strings.Contains(stdout.String(), tt.says) ||
			!strings.Contains(stderr.String(), "the events of this ledger are not in it") {
			t.Errorf("%s: exit code %d, %s%s", tt.command, code, &stdout, &stderr)
		}
	}
}

// losing is a ledger during which the folder of the state is lost.
type losing struct {
	io.Reader
	folder string
}

func (l *losing) Read(p []byte) (int, error) {
	_ = os.Rename(l.folder, l.folder+" is lost")
	return l.Reader.Read(p)
}

// TestSample: what is kept of many readings is spread evenly, and the last is among them.
func TestSample(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, maxSample - 1, maxSample, maxSample + 1, 5*maxSample + 7, 1_000_000} {
		var s sample
		for i := range n {
			s.add(func() ledger.Reading { return ledger.Reading{Events: i + 1} })
		}
		kept := s.with(ledger.Reading{Events: n})
		if n <= maxSample && len(kept) != n || n > maxSample && (len(kept) <= maxSample/2 || len(kept) > maxSample+1) {
			t.Errorf("of %d there are %d", n, len(kept))
		}
		for i := 1; i < len(kept)-1; i++ {
			if kept[i].Events-kept[i-1].Events != kept[1].Events-kept[0].Events {
				t.Fatalf("of %d, %d follows %d", n, kept[i].Events, kept[i-1].Events)
			}
		}
		if n > 0 && (kept[0].Events != 1 || kept[len(kept)-1].Events != n) {
			t.Errorf("of %d there are %d to %d", n, kept[0].Events, kept[len(kept)-1].Events)
		}
	}
}

// TestStateByHand: a state in which numbers were changed by hand so that no ledger has them is refused, with the
// reason.
func TestStateByHand(t *testing.T) {
	t.Parallel()
	plain, adaptive, odp := statefulCommands[0], statefulCommands[4], statefulCommands[6]
	odometer := statefulCommands[9]
	for _, tt := range []struct{ command, key, by, want string }{
		{odometer, "events", "7", "lines is 6, must be at least the number of events, 7"},
		{odometer, "chain", `""`, "chain is empty, must be that of 5 events"},
		{plain, "chain", `""`, "chain is empty, must be that of"},
		{odometer, "lines", "4", "lines is 4, must be at least the number of events, 5"},
		{odometer, "lines", "2000000000000000", "lines is 2000000000000000, must be at least 0 and at most " +
			"1000000000000000"},
		{odometer, "v", `"9"`, "the sum of the squares of ε is 9, must be about "},
		{odometer, "v", `"0.1"`, "the sum of the squares of ε is 0.1, must be about "},
		{odometer, "eps", `"0.3"`, "the sum of the squares of ε is "},
		{odometer, "rule", `"median"`, "it is the state of an odometer by the rule median, must be of one by the " +
			"rule mixture"},
		{adaptive, "charge", `"0.1"`, "sums.charge: the sum of the squares of ε is 0.1, must be about "},
		{adaptive, "rule", `"zcdp"`, "it is the state of an account by the rule zcdp, must be of one by the rule " +
			"adaptive"},
		{odp, "charge", `"0"`, "charge is 0 and eps is "},
		{plain, "events", "1", "mechanisms and other_mechanisms do not add up to spent"},
	} {
		file := filepath.Join(t.TempDir(), "spent")
		commanded(tt.command, strings.Join(variedLedger[:6], "\n"), going(file)...)
		good := contents(t, file)
		value := regexp.MustCompile(`"` + tt.key + `": ("[^"]*"|[0-9]+)`)
		at := value.FindStringIndex(good)
		if at == nil {
			t.Fatalf("%s: there is no %s in\n%s", tt.command, tt.key, good)
		}
		bad := resealed(good[:at[0]] + `"` + tt.key + `": ` + tt.by + good[at[1]:])
		refusesState(t, tt.command, file, bad)
		if _, _, stderr := commanded(tt.command, variedLedger[0], "--state", file); !strings.Contains(stderr, tt.want) {
			t.Errorf("%s, %s %s: %s, want %s", tt.command, tt.key, tt.by, stderr, tt.want)
		}
	}
}
