package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// Limits of a ledger.
const (
	maxLine = 1 << 20 // bytes
	maxName = 200     // bytes of the name of a mechanism or a part
)

// blanks may stand between the parts of JSON.
const blanks = " \t\r\n"

// Ledger reads events from JSON lines: one object a line. It holds one line at a time.
type Ledger struct {
	passage // the current line
	lines   *bufio.Reader
	Read    int64 // bytes up to the end of the line
	buffer  bytes.Buffer
	json    *jsontext.Decoder
	key     int // where the last key on the line starts
	Event   Event
	numbers cache[*big.Rat]
	names   cache[string]

	Neighbours      Neighbours // of the events before, which the next ones must have; zero if there are none
	MayLackObserved bool       // whether an event without observed counts by its worst part: that of one not run yet
}

// Event is the use of one mechanism: what it guarantees, and the part that its output
// was in. It is only valid until the next one is read.
type Event struct {
	Mechanism string
	ledger.Guarantee
	Observed   string
	Neighbours Neighbours          // for which the guarantee is
	Partition  string              // which of several disjoint parts of the data it read; empty: all of the data
	Start      int                 // where the event starts on its line
	At         [len(eventKeys)]int // where the value of each key starts
	PartsAt    []int               // where ℰ of each part starts
}

// The keys of an event, as indices of event.at.keys.
const (
	keyMechanism = iota
	KeyParts
	KeyDelta
	KeyObserved
	keyTime // this one and the next ones need not be there
	keyNote
	KeyDP
	KeyPartition
	keyNeighbours
)

var (
	eventKeys = [...]string{"mechanism", "parts", "delta", "observed", "time", "note", "dp", "partition",
		"neighbours"}
	partKeys = []string{"eps", "exp_eps"}
	dpKeys   = []string{"eps", "exp_eps", "delta"}
)

// NewLedger returns the ledger that is read from r, by its name for messages.
func NewLedger(name string, r io.Reader) *Ledger {
	return &Ledger{
		passage: passage{name: name},
		lines:   bufio.NewReaderSize(r, maxLine),
		json:    jsontext.NewDecoder(strings.NewReader("")),
	}
}

// Check returns an error if nothing can be read, as from a folder.
func (l *Ledger) Check() error {
	_, err := l.lines.Peek(1)
	if err == io.EOF { // the ledger is empty
		return nil
	}
	return err
}

// Next returns the next event, or io.EOF.
func (l *Ledger) Next() (*Event, error) {
	for {
		isLast, err := l.nextLine()
		if err != nil {
			return nil, err
		}
		if len(bytes.Trim(l.text, blanks)) == 0 {
			if isLast {
				return nil, io.EOF
			}
			continue
		}
		err = l.decode()
		if kind := l.otherKind(); err != nil && kind != "" {
			return nil, l.Fault(0, "this is %s, must be a ledger", kind)
		}
		if err != nil && isLast && l.isCutOff() {
			return nil, l.Fault(len(l.text), "the file ends inside an event")
		}
		return &l.Event, err
	}
}

// otherKind says what the file seems to be that begins with the current line, if that is no ledger.
func (l *Ledger) otherKind() string {
	if l.Line > 1 {
		return ""
	}
	more, _ := l.lines.Peek(l.lines.Buffered())
	kind := Kind(string(l.text) + "\n" + string(more))
	if strings.HasPrefix(kind, "a ledger") {
		return ""
	}
	return kind
}

// nextLine reads a line into l.text and tells whether it is the last, which has no end.
func (l *Ledger) nextLine() (isLast bool, err error) {
	l.text, err = l.lines.ReadSlice('\n')
	l.Line++
	l.Read += int64(len(l.text))
	switch {
	case err == io.EOF:
		isLast = true
	case err == bufio.ErrBufferFull:
		return false, l.Fault(0, "the line is longer than %d MiB", maxLine>>20)
	case err != nil:
		return false, fmt.Errorf("line %d: %w", l.Line, err)
	}
	l.text = bytes.TrimSuffix(l.text, []byte("\n"))
	if l.Line == 1 {
		l.text = bytes.TrimPrefix(l.text, []byte("\uFEFF"))
	}
	return isLast, nil
}

// isCutOff reports whether the current line is the beginning of JSON.
func (l *Ledger) isCutOff() bool {
	l.reset()
	return errors.Is(l.json.SkipValue(), io.ErrUnexpectedEOF)
}

// reset makes the decoder read the current line.
func (l *Ledger) reset() {
	l.buffer = *bytes.NewBuffer(l.text) // which the decoder reads in place
	l.json.Reset(&l.buffer)
}

// decode reads the current line into l.event.
func (l *Ledger) decode() (err error) {
	defer caught(&err)
	l.reset()
	e := &l.Event
	*e = Event{Guarantee: ledger.Guarantee{Parts: e.Parts[:0]}, Neighbours: AddOrRemove, PartsAt: e.PartsAt[:0]}
	_, e.Start = l.peek()
	l.object("the event", l.field)
	for key, name := range eventKeys[:keyTime] {
		if e.At[key] == 0 && !(key == KeyObserved && l.MayLackObserved) {
			l.fail(e.Start, "%s is missing", name)
		}
	}
	if e.At[KeyObserved] == 0 && e.Validate() == nil {
		e.Observed = e.Parts[e.WorstPart()].Name
	}
	if rest := bytes.Trim(l.text[l.json.InputOffset():], blanks); len(rest) > 0 {
		l.fail(bytes.LastIndex(l.text, rest), "the line goes on after the event, must hold one event only")
	}
	l.checkNeighbours()
	return nil
}

// checkNeighbours refuses an event that does not add up with those before: what is promised to a record is not promised
// to a group, nor to a record that is replaced.
func (l *Ledger) checkNeighbours() {
	e := &l.Event
	if e.Neighbours != AddOrRemove && e.Partition != "" {
		l.fail(e.At[KeyPartition], "partition is given, must be left out with neighbours: %s, which may differ in "+
			"several partitions", e.Neighbours)
	}
	if l.Neighbours == (Neighbours{}) {
		l.Neighbours = e.Neighbours
	}
	if l.Neighbours == e.Neighbours {
		return
	}
	at, is := e.At[keyNeighbours], "is"
	if at == 0 {
		at, is = e.Start, "is not given, which means"
	}
	l.fail(at, "neighbours %s %s, must be %s as in the events before: guarantees for different neighbours do not "+
		"add up; keep a ledger and a budget for each", is, e.Neighbours, l.Neighbours)
}

// Text returns the line of the current event, without the blanks around it.
func (l *Ledger) Text() []byte { return bytes.Trim(l.text, blanks) }

// field reads the value of a key of an event.
func (l *Ledger) field(name string) {
	e := &l.Event
	key := slices.Index(eventKeys[:], name)
	if key < 0 {
		l.fail(l.key, "%s", unknownKey(name, eventKeys[:]))
	}
	_, e.At[key] = l.peek()
	switch key {
	case keyMechanism:
		e.Mechanism = l.label("mechanism")
	case KeyParts:
		l.object("parts", l.part)
	case KeyDelta:
		e.Delta = l.number("", "delta")
	case KeyObserved:
		e.Observed = l.label("observed")
	case keyTime:
		l.time()
	case keyNote:
		l.str("note")
	case KeyDP:
		l.plainDP()
	case KeyPartition:
		e.Partition = l.label("partition")
	case keyNeighbours:
		raw, err := l.json.ReadValue()
		l.must(err)
		if err := e.Neighbours.UnmarshalJSON(raw); err != nil {
			l.fail(e.At[key], "%v", err)
		}
	}
}

// plainDP reads {eps or exp_eps, delta}.
func (l *Ledger) plainDP() {
	_, at := l.peek()
	dp := &ledger.DPGuarantee{Delta: new(big.Rat)}
	given := 0
	l.object("dp", func(key string) {
		if !slices.Contains(dpKeys, key) {
			l.fail(l.key, "dp: %s", unknownKey(key, dpKeys))
		}
		if number := l.number("dp.", key); key == "delta" {
			dp.Delta = number
		} else {
			dp.Eps, given = epsilonOf(key, number), given+1
		}
	})
	if given != 1 {
		l.fail(at, "dp has %d of eps and exp_eps, must have one", given)
	}
	l.Event.DP = dp
}

// part reads the ε of a part: a number, or {eps: number} or {exp_eps: number}.
func (l *Ledger) part(name string) {
	e := &l.Event
	if err := CheckLabel(name); err != nil {
		l.fail(l.key, "the name of a part %v", err)
	}
	kind, at := l.peek()
	e.PartsAt = append(e.PartsAt, at)
	add := func(eps loss.Epsilon) { e.Parts = append(e.Parts, ledger.Part{Name: name, Eps: eps}) }
	if kind != '{' {
		add(loss.Nats(l.number("parts.", name)))
		return
	}
	given := 0
	l.object("", func(key string) {
		if !slices.Contains(partKeys, key) {
			l.fail(l.key, "%s: %s", quoteName("parts."+name), unknownKey(key, partKeys))
		}
		given++
		_, e.PartsAt[len(e.PartsAt)-1] = l.peek()
		add(epsilonOf(key, l.number("parts."+name+".", key)))
	})
	if given != 1 {
		l.fail(at, "%s has %d keys, must have either eps or exp_eps", quoteName("parts."+name), given)
	}
}
