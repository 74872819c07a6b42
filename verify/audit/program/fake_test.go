package program

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain runs the tests, or one of the fakes: the test binary is its own outside program.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "fake" {
		fakes[os.Args[2]](bufio.NewReaderSize(os.Stdin, 1<<20))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func init() {
	for _, x := range faults {
		if x.reply != "" {
			fakes[x.name] = replying(x.reply)
		}
	}
}

// replyFile is what the slow program waits for.
const replyFile = "reply"

// fake is the command of a fake.
func fake(name string) []string {
	if fakes[name] == nil {
		panic("no fake " + name)
	}
	return []string{os.Args[0], "fake", name}
}

// asked returns the next request, or ends the process at the end of the requests.
func asked(in *bufio.Reader) (r request) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		complain("cannot read %q: %v", line, err)
		os.Exit(9)
	}
	return r
}

func complain(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// replying is a fake that gives one reply after the other; ID in them is replaced.
func replying(replies ...string) func(*bufio.Reader) {
	return func(in *bufio.Reader) {
		for i := 0; ; i++ {
			r := asked(in)
			text := replies[i%len(replies)]
			fmt.Println(strings.ReplaceAll(text, "ID", fmt.Sprint(r.ID)))
		}
	}
}

// answering is a fake whose outputs are a function of the request.
func answering[T any](outputs func(r request) []T) func(*bufio.Reader) {
	return func(in *bufio.Reader) {
		for {
			r := asked(in)
			text, err := json.Marshal(map[string]any{"id": r.ID, "outputs": outputs(r)})
			if err != nil {
				panic(err)
			}
			fmt.Printf("%s\n", text)
		}
	}
}

// repeating is a fake all of whose outputs are a text.
func repeating(output string) func(*bufio.Reader) {
	return answering(func(r request) []json.RawMessage {
		return slices.Repeat([]json.RawMessage{json.RawMessage(output)}, r.N)
	})
}

var fakes = map[string]func(*bufio.Reader){
	"numbers": answering(func(r request) (outputs []float64) { // drawn from the seed
		random := rand.New(rand.NewPCG(r.Seed, 0))
		for range r.N {
			outputs = append(outputs, random.Float64())
		}
		return outputs
	}),
	"coin": answering(func(r request) (outputs []string) { // always the same tosses
		random := rand.New(rand.NewPCG(7, 0))
		for range r.N {
			outputs = append(outputs, []string{"heads", "tails"}[random.IntN(2)])
		}
		return outputs
	}),
	"farewell": func(in *bufio.Reader) { // writes a line more
		fmt.Printf("{\"id\": %d, \"outputs\": [1, 2]}\n", asked(in).ID)
		fmt.Println("done")
	},
	"echo": answering(func(r request) []string { // the input, and what else it is asked
		return slices.Repeat([]string{fmt.Sprintf("%d %d %s", r.ID, r.N, r.Input)}, r.N)
	}),
	"values": replying(`{"outputs": [1, -0.5e1, "a#", null, true, [1, [2]], {"b": 1, "a": "x"}, ` +
		`{"part": "top", "value": 3}, {"part": "bot"}, {"part": 1, "value": 2}, {"part": "p", "value": 1, "x": 2}, ` +
		`{"value": 1}, {"value": [4], "part": "top"}], "id": ID.0}`),
	"parts":    replying(`{"id": ID, "outputs": [{"part": "bot"}, {"value": 0.25, "part": "top"}]}` + "\r"),
	"half":     repeating("0.5"),
	"wide":     repeating(`"` + strings.Repeat("x", 10_000) + `"`),
	"top":      repeating(`{"part": "top", "value": 0.12345678}`),
	"scored":   repeating(`{"output": {"model":[1,2.50]}, "score": -25e-2}`),
	"no parts": replying(`{"id": ID, "outputs": [{"part": "bot"}, 5]}`),
	"banner":   replying("Ready. \x1b[1m", `{"id": ID, "outputs": [1, 2]}`),
	"empty":    replying("", `{"id": ID, "outputs": [1, 2]}`),
	"long": func(in *bufio.Reader) {
		asked(in)
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat(" ", 1<<16)); err != nil {
				return
			}
		}
	},
	"crash": func(in *bufio.Reader) {
		asked(in)
		complain("Traceback (most recent call last):\n\n\tboom \x1b[31m")
		os.Exit(3)
	},
	"crash inside": func(in *bufio.Reader) {
		fmt.Printf(`{"id": %d, "outp`, asked(in).ID)
		os.Exit(4)
	},
	"ends": func(*bufio.Reader) {},
	"ends between": func(in *bufio.Reader) {
		fmt.Printf(`{"id": %d, "outputs": [1, 2]}`+"\n", asked(in).ID)
		complain("enough")
	},
	"hangs": func(in *bufio.Reader) { // at the second request
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		complain("thinking")
		fmt.Printf(`{"id": %d, "outputs": [1, 2]}`+"\n", asked(in).ID)
		asked(in)
		time.Sleep(time.Hour)
	},
	"deaf": func(*bufio.Reader) { time.Sleep(time.Hour) },
	"mute": func(in *bufio.Reader) {
		asked(in)
		os.Stdout.Close()
		time.Sleep(time.Hour)
	},
	"slow": func(in *bufio.Reader) { // there is no reply before there is a file
		for {
			id := asked(in).ID
			for _, err := os.Stat(replyFile); err != nil; _, err = os.Stat(replyFile) {
				time.Sleep(time.Millisecond)
			}
			fmt.Printf(`{"id": %d, "outputs": [%d, %[1]d]}`+"\n", id, id)
		}
	},
	"flood": func(in *bufio.Reader) {
		for {
			r := asked(in)
			for i := range 30_000 {
				complain("line %d of a lot of text that nobody reads", i)
			}
			fmt.Printf(`{"id": %d, "outputs": [1, 2]}`+"\n", r.ID)
		}
	},
	"flood and die": func(in *bufio.Reader) {
		asked(in)
		for i := range 30_000 {
			complain("line %d", i)
		}
		os.Exit(1)
	},
	// A shell that starts the program proper, which does not end by itself and whose
	// process number is the output.
	"parent": func(in *bufio.Reader) {
		child := exec.Command(os.Args[0], "fake", "deaf")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			complain("%v", err)
			return
		}
		r := asked(in)
		fmt.Printf(`{"id": %d, "outputs": [%d, %[2]d]}`+"\n", r.ID, child.Process.Pid)
		asked(in)
	},
	"orphan": func(in *bufio.Reader) { // leaves behind a child that holds its pipes
		child := exec.Command(os.Args[0], "fake", "deaf")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			complain("%v", err)
		}
		os.Exit(5)
	},
}
