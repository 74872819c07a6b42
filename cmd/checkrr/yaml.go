package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits on a problem file. They keep the cost of reading any input, however
// hostile, within some seconds and about 1 GB.
const (
	maxFileSize = 16 << 20
	maxDepth    = 3         // {mechanisms: [{eps: 1}]}
	maxKeys     = 16        // between two entries: the library is quadratic in it
	maxMarks    = 3_000_000 // punctuation and line ends: as many tokens, roughly
	gcPercent   = 30
)

// More limits, lower in some tests.
var (
	maxEntries = 100_000 // mechanisms or stops
	maxBits    = 1 << 31 // of all numbers together
)

func tooLong() string {
	return fmt.Sprintf("the file is too long, must have at most %d mechanisms and as many stops", maxEntries)
}

// checkText refuses what is not text, and text with so much punctuation that
// no problem within the limits can need it.
func (d *decoder) checkText(text string) error {
	at := position{1, 0}
	marks := 0
	for i, r := range text {
		at.column++
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"),
			r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7F, r == '\u0085', r == '\u2028', r == '\u2029':
			return d.fault(at, "byte 0x%02x does not belong here, a problem file is plain UTF-8 text", text[i])
		case r == '\n':
			at = position{at.line + 1, 0}
			marks++
		case r < utf8.RuneSelf && strings.ContainsRune("{}[],:-?&*!'\"|>%@#`", r):
			marks++
		}
		if marks > maxMarks {
			return d.fault(at, "%s", tooLong())
		}
	}
	return nil
}

// parse returns the root of the only document.
func (d *decoder) parse(text string) (ast.Node, error) {
	// Tokens and tree of a large file take a hundred times its size, for a short
	// while: let the collector not double that.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	tokens := lexer.Tokenize(text)
	if err := d.checkTokens(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	var fault yaml.Error
	switch {
	case errors.As(err, &fault):
		return nil, d.fault(positionOf(fault.GetToken()), "%s", oneLine(fault.GetMessage()))
	case err != nil:
		return nil, d.fault(position{1, 1}, "%s", oneLine(err.Error()))
	case len(file.Docs) == 0 || isEmpty(file.Docs[0].Body):
		return nil, d.fault(position{1, 1}, "the file is empty, must have the keys mechanisms and stops")
	case len(file.Docs) > 1:
		return nil, d.fault(positionOf(file.Docs[1].GetToken()), "a second document, must be only one")
	}
	return file.Docs[0].Body, nil
}

func isEmpty(n ast.Node) bool { return n == nil || n.Type() == ast.NullType }

// unsupported are the parts of YAML that a problem has no use for.
var unsupported = map[token.Type]string{
	token.AnchorType:     "an anchor (&)",
	token.AliasType:      "an alias (*)",
	token.TagType:        "a tag (!)",
	token.MergeKeyType:   "a merge key (<<)",
	token.LiteralType:    "a block text (|)",
	token.FoldedType:     "a block text (>)",
	token.DirectiveType:  "a directive (%)",
	token.MappingKeyType: "a key marked by ?",
}

// checkTokens refuses what the strict reading of a problem does not allow, and
// what the library's parser would take too long for.
func (d *decoder) checkTokens(tokens token.Tokens) error {
	var c tokenCheck
	for _, t := range tokens {
		if t.Type == token.CommentType {
			continue
		}
		if text := c.refuse(t); text != "" {
			return d.fault(positionOf(t), "%s", text)
		}
	}
	return nil
}

// tokenCheck is what there was up to a token.
type tokenCheck struct {
	depth    int // of brackets
	entries  int
	keys     int // since the last entry
	ended    bool
	previous token.Type
}

// refuse returns why a problem cannot have the token t here, or "".
func (c *tokenCheck) refuse(t *token.Token) string {
	what, isUnsupported := unsupported[t.Type]
	switch {
	case t.Type == token.InvalidType && strings.Contains(t.Error, "'\t'"):
		return "the line begins with a tab, must be indented with spaces"
	case t.Type == token.InvalidType:
		return oneLine(t.Error)
	case isUnsupported:
		return what + " is not supported, write the value out"
	case c.ended, t.Type == token.DocumentHeaderType && c.previous != token.UnknownType:
		return "a second document, must be only one"
	case t.Type == token.SequenceEntryType && c.previous == t.Type:
		return "a list directly inside a list does not belong here"
	case isScalar(t) && strings.Contains(strings.TrimSpace(t.Origin), "\n"):
		return quote(t.Value) + " runs over the end of the line"
	}
	c.count(t)
	switch {
	case c.depth > maxDepth:
		return "nested too deeply"
	case c.keys > maxKeys:
		return fmt.Sprintf("too many keys, an entry has at most %d", len(mechanismKeys)-1)
	case c.entries > 6*maxEntries: // an entry has a dash or a bracket, or both, in two lists
		return tooLong()
	}
	return ""
}

func (c *tokenCheck) count(t *token.Token) {
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		c.depth++
		c.entries++
		c.keys = 0
	case token.MappingEndType, token.SequenceEndType:
		c.depth--
	case token.SequenceEntryType:
		c.entries++
		c.keys = 0
	case token.MappingValueType:
		c.keys++
	case token.DocumentEndType:
		c.ended = true
	}
	c.previous = t.Type
}

func isScalar(t *token.Token) bool {
	switch t.Type {
	case token.StringType, token.SingleQuoteType, token.DoubleQuoteType:
		return true
	}
	return false
}

// pairsOf returns the pairs of a mapping.
func pairsOf(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

func keyOf(pair *ast.MappingValueNode) string { return pair.Key.GetToken().Value }

// kindOf says what a node is, for a message.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "empty"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	}
	return quote(n.GetToken().Value)
}

// placeOf returns where a node starts. A block mapping's own token is the
// colon after its first key.
func placeOf(n ast.Node) position {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return placeOf(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return placeOf(m.Key)
	}
	return positionOf(n.GetToken())
}

func positionOf(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{1, 1}
	}
	return position{int32(t.Position.Line), int32(t.Position.Column)}
}

// oneLine keeps a foreign message on one line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}
