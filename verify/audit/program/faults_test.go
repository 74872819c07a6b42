package program

import (
	"errors"
	"strings"
	"testing"
)

// faults are programs that break the protocol: by one reply, or as a fake does that has the name.
// What is wrong is wrong with request 1 if nothing else is said.
var faults = []struct{ name, reply, want string }{
	{"report", `{"id": ID, "error": "the input is\tnot a list"}`,
		"the program reports an error: the input is not a list"},
	{"wrong id", `{"id": 7, "outputs": [1, 2]}`, "the reply has the id 7, must have the id 1 of the request"},
	{"text id", `{"id": "ID", "outputs": [1, 2]}`, `the reply has the id "1", must have the id 1 of the request`},
	{"no id", `{"outputs": [1, 2]}`, "the reply has no id, must have the id 1"},
	{"no outputs", `{"id": ID}`, `the reply has no outputs, must be of the form {"id": 1, "outputs": […]}`},
	{"too few", `{"id": ID, "outputs": [1]}`, "the reply has 1 outputs, must have 2"},
	{"too many", `{"id": ID, "outputs": [1, 2, 3]}`, "the reply has more than 2 outputs, must have 2"},
	{"no list", `{"id": ID, "outputs": 5}`, "the outputs of the reply are 5, must be a list"},
	{"no text", `{"id": ID, "error": 5}`, "the error of the reply is 5, must be a text"},
	{"null text", `{"id": ID, "outputs": [1, 2], "error": null}`, "the error of the reply is null, must be a text"},
	{"other key", `{"id": ID, "outputs": [1, 2], "seconds": 3}`,
		`the reply has the key "seconds", must have only id, outputs, error`},
	{"twice", `{"id": ID, "id": ID, "outputs": [1, 2]}`, `the reply has the key "id" twice, must have it once`},
	{"banner", "", `the reply is "Ready. \x1b[1m", must be of the form {"id": 1, "outputs": […]}`},
	{"empty", "", `the reply is "", must be of the form {"id": 1, "outputs": […]}`},
	{"list", `[1, 2]`, `the reply is [1, 2], must be of the form {"id": 1, "outputs": […]}`},
	{"two values", `{"id": ID, "outputs": [1, 2]} {"id": ID, "outputs": [1, 2]}`,
		`the reply is followed by {"id": 1, "outputs": [1, 2]}, must be alone on its line`},
	{"two lines", `{"id": ID, "outputs": [1, 2]}` + "\n" + `{"id": ID, "outputs": [1, 2]}`,
		"request 2: the reply has the id 1, must have the id 2 of the request"},
	{"cut", `{"id": ID, "outputs": [1, `, "the reply ends inside its JSON, must be whole on its line"},
	{"nan", `{"id": ID, "outputs": [1, NaN]}`, `output 2 has the number NaN, must be finite, or a text such as "NaN"`},
	{"nan id", `{"id": NaN, "outputs": [1, 2]}`,
		`the reply has the number NaN, must be finite, or a text such as "NaN"`},
	{"infinity", `{"id": ID, "outputs": [1, -Infinity]}`,
		`output 2 has the number -Infinity, must be finite, or a text such as "-Infinity"`},
	{"range", `{"id": ID, "outputs": [1, 1e309]}`,
		"output 2 cannot be used: number 1e309 is out of range, must be at most 1.8e308"},
	{"big", `{"id": ID, "outputs": [9007199254740992, 9007199254740993]}`,
		"output 2 cannot be used: number 9007199254740993 is no double precision number, must be at most 2^53 or " +
			"written as a text"},
	{"big list", `{"id": ID, "outputs": [1, [9007199254740993]]}`,
		"output 2 cannot be used: number 9007199254740993 is no double precision number, must be at most 2^53 or " +
			"written as a text"},
	{"deep range", `{"id": ID, "outputs": [1, [0, -1e309]]}`,
		"output 2 cannot be used: number -1e309 is out of range, must be at most 1.8e308"},
	{"octal", `{"id": ID, "outputs": [1, 007]}`, `the reply is not JSON from byte 27 on, which is "07]}"`},
	{"not utf8", "{\"id\": ID, \"outputs\": [1, \"\xff\"]}",
		`the reply is not JSON from byte 27 on, which is "\xff\"]}"`},
	{"half sign", `{"id": ID, "outputs": [1, "a\ud83d b"]}`,
		`output 2 has \ud83d without its other half, must be whole characters`},
	{"low half", `{"id": ID, "outputs": ["\uDE00\uD83D", 1]}`,
		`output 1 has \uDE00 without its other half, must be whole characters`},
	{"half a key", `{"id": ID, "outputs": [{"\udfff": 1}, 1]}`,
		`output 1 has \udfff without its other half, must be whole characters`},
	{"quotes", `{'id': ID, 'outputs': [1, 2]}`,
		`the reply is not JSON from byte 2 on, which is "'id': 1, 'outputs': [1, 2]}"`},
	{"comma", `{"id": ID, "outputs": [1, 2,]}`, `the reply is not JSON from byte 27 on, which is ",]}"`},
	{"nested", `{"id": ID, "outputs": ` + strings.Repeat("[", 20_000),
		`the reply has lists or objects that are more than 10000 deep, must be at most that`},
	{"crash", "", "the program ended (exit status 3) before it replied, must run until its standard input ends\n" +
		"its standard error ends with\n  Traceback (most recent call last):\n   boom �[31m"},
	{"crash inside", "", "the program ended (exit status 4) before it replied, must run until its standard input ends"},
	{"ends", "", "the program ended (exit status 0) before it replied, must run until its standard input ends"},
	{"ends between", "",
		"request 2: the program ended (exit status 0) before it replied, must run until its standard input ends\n" +
			"its standard error ends with\n  enough"},
	{"orphan", "", "the program ended (exit status 5) before it replied, must run until its standard input ends"},
	{"mute", "", "the program closed its standard output, must not before its standard input ends"},
	{"flood and die", "",
		"the program ended (exit status 1) before it replied, must run until its standard input ends\n" +
			"its standard error ends with\n  line 29990\n  line 29991\n  line 29992\n  line 29993\n" +
			"  line 29994\n  line 29995\n  line 29996\n  line 29997\n  line 29998\n  line 29999"},
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.name)
			_, err := draw(t, p, "0", false, 2, 1)
			if err == nil {
				_, err = draw(t, p, "0", false, 2, 1)
			}
			want := tt.want
			if !strings.HasPrefix(want, "request ") {
				want = "request 1: " + want
			}
			checkFault(t, p, err, want)
		})
	}
}

// checkFault checks an error, and that it is the last of its program.
func checkFault(t *testing.T, p *Program, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("there is no error, want %s", want)
	}
	fault, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("got the error %T %v", err, err)
	}
	got, ok := strings.CutPrefix(fault.Error(), strings.Join(p.command.Args, " ")+": ")
	if !ok || got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	select {
	case <-p.exited:
	default:
		t.Error("the program still runs")
	}
	if _, again := draw(t, p, "0", false, 2, 1); again != err {
		t.Errorf("the next request gives %v", again)
	}
}
