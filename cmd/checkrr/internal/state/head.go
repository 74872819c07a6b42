package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"checkrr/cmd/checkrr/internal/report"
)

// Head is what the state of any command begins with.
type Head struct {
	SchemaVersion int               `json:"schema_version"`
	Command       string            `json:"command"`
	Checksum      string            `json:"checksum"`   // of the file
	Chain         Chain             `json:"chain"`      // of all events so far
	Parameters    map[string]string `json:"parameters"` // with exact numbers
	Lines         int64             `json:"lines"`      // that were read so far
}

// Schema is the version of the form of a state.
const Schema = 2

// maxLines is how many lines may have been read: more than anybody reads.
const maxLines = 1e15

// NewHead returns the head of a state before it is sealed.
func NewHead(command string, chain Chain, parameters map[string]string, lines int64) Head {
	return Head{Schema, command, "", chain, parameters, lines}
}

// Check refuses a text that is not as it was written, or is the state of something else; wanted is the head that fits.
func (h Head) Check(wanted Head, text []byte) error {
	switch {
	case h.SchemaVersion != Schema:
		return fmt.Errorf("schema_version is %d, must be %d: replay its ledgers into a new state", h.SchemaVersion,
			Schema)
	case !IsSealed(text):
		return errors.New("the checksum does not fit: the file was changed since it was written; replay its ledgers " +
			"into a new state")
	case h.Command != wanted.Command:
		return fmt.Errorf("command is %s, must be %s", report.Quote(h.Command), wanted.Command)
	case h.Lines < 0 || h.Lines > maxLines:
		return fmt.Errorf("lines is %d, must be at least 0 and at most %d", h.Lines, int64(maxLines))
	case !h.Chain.isValid():
		return fmt.Errorf("chain is %s, must be 64 hexadecimal digits", report.Quote(string(h.Chain)))
	case h.Parameters["rule"] != wanted.Parameters["rule"]: // other rules have other parameters
		return fmt.Errorf("it is the state of an %s by the rule %s, must be of one by the rule %s",
			h.Command, report.Quote(h.Parameters["rule"]), wanted.Parameters["rule"])
	}
	all := maps.Clone(wanted.Parameters)
	maps.Copy(all, h.Parameters)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, isThere := h.Parameters[name]
		is, isWanted := wanted.Parameters[name]
		switch {
		case !isThere:
			return fmt.Errorf("it is the state of an %s without %s, must be of one with %s %s", h.Command, name, name,
				is)
		case !isWanted:
			return fmt.Errorf("it is the state of an %s with %s %s, must be of one without", h.Command, name,
				report.Quote(was))
		case was != is:
			return fmt.Errorf("it is the state of an %s with %s %s, must be of one with %s", h.Command, name,
				report.Quote(was), is)
		}
	}
	return nil
}

// CheckEvents refuses a head that cannot be that of so many events.
func (h Head) CheckEvents(n int) error {
	switch {
	case h.Lines < int64(n):
		return fmt.Errorf("lines is %d, must be at least the number of events, %d", h.Lines, n)
	case n > 0 && h.Chain == "":
		return fmt.Errorf("chain is empty, must be that of %d events", n)
	}
	return nil
}

// Chain stands for all events so far, in their order: the SHA-256, in hexadecimal digits, of the chain before the last
// of them, a line feed, and the line of the event without the blanks around it. The first one follows an empty chain.
type Chain string

// isValid reports whether c can be a chain.
func (c Chain) isValid() bool {
	sum, err := hex.DecodeString(string(c))
	return err == nil && (len(sum) == 0 || len(sum) == sha256.Size)
}

// After returns the chain after one more event.
func (c Chain) After(line []byte) Chain {
	return Chain(sumOf(append([]byte(c+"\n"), line...)))
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// checksum is the key of a state that holds the SHA-256 of the file as it is with an empty checksum.
var checksum = regexp.MustCompile(`"checksum": "([0-9a-f]*)"`)

// Seal puts the checksum into the text of a state that has an empty one.
func Seal(text []byte) []byte {
	at := checksum.FindSubmatchIndex(text)
	return bytes.Join([][]byte{text[:at[2]], []byte(sumOf(text)), text[at[3]:]}, nil)
}

// IsSealed reports whether a text is as [Seal] returned it.
func IsSealed(text []byte) bool {
	at := checksum.FindSubmatchIndex(text)
	return at != nil && bytes.Equal(text, Seal(bytes.Join([][]byte{text[:at[2]], text[at[3]:]}, nil)))
}
