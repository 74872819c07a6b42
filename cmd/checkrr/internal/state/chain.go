package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

// Chain stands for all events so far, in their order: the SHA-256, in hexadecimal digits, of the chain before the last
// of them, a line feed, and the line of the event without the blanks around it. The first one follows an empty chain.
type Chain string

// IsValid reports whether c can be a chain.
func (c Chain) IsValid() bool {
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
