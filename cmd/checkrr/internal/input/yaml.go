package input

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"checkrr/cmd/checkrr/internal/report"
)

// maxMarks limits punctuation and line ends of any file, and so its tokens, roughly; lower in some tests. It keeps the
// cost of reading a file, however hostile, within some seconds and about 1 GB.
var maxMarks = 3_000_000

// A text longer than largeText, in bytes, is read with a collector that runs when gcPercent more is in use. Each change
// of it starts a collection, which a short text does not need.
const (
	largeText = 1 << 16
	gcPercent = 30
)

// form is what the files of a kind look like.
type form struct {
	name  string // such as "a problem file"
	keys  string // that it must have
	size  int    // bytes at most
	depth int    // of brackets
	// keys at most between two entries, and of a mapping without brackets: the library is quadratic in that
	row     int
	entries int // dashes and brackets at most
	// What is said of more keys, of more entries, and of a list that is directly
	// inside a list and not in brackets.
	manyKeys, long, nested string
	others                 string // what is said of a file of another kind, too
}

// source is a YAML file that is read strictly.
type source struct {
	name string
	form form
}

func (s source) fault(at position, format string, args ...any) error {
	return &FileError{s.name, at, fmt.Sprintf(format, args...)}
}

// fail ends the reading of a file with a fault where a node stands: whoever reads it defers [caught].
func (s source) fail(at ast.Node, format string, args ...any) { s.failAt(placeOf(at), format, args...) }

func (s source) failAt(at position, format string, args ...any) {
	panic(failure{s.fault(at, format, args...)})
}

// failure is what ends the reading of a file.
type failure struct{ err error }

// caught is deferred to return what ended the reading of a file.
func caught(err *error) {
	switch fault := recover().(type) {
	case nil:
	case failure:
		*err = fault.err
	default:
		panic(fault)
	}
}

// text reads a file of at most so many bytes, without a byte order mark. Of one that is longer it returns the
// beginning, too.
func (s source) text(r io.Reader, most int) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return "", err
	}
	if len(data) > most {
		return string(data), s.fault(position{1, 1}, "the file is too large, must be at most %d MiB", most>>20)
	}
	return strings.TrimPrefix(string(data), "\uFEFF"), nil
}

// read reads a file and gives its root to use. The YAML library is not trusted with
// hostile text: what could make it recurse deeply is refused before it is called, and if
// it panics, that becomes an error.
func (s source) read(r io.Reader, use func(root ast.Node)) (err error) {
	text, err := s.text(r, s.form.size)
	if err == nil {
		err = s.use(text, use)
	}
	other := Kind(text[:min(len(text), kindLength)])
	if err != nil && other != "" && !strings.HasPrefix(other, s.form.name) {
		return s.fault(position{1, 1}, "this is %s, must be %s with the keys %s%s", other, s.form.name, s.form.keys,
			s.form.others)
	}
	return err
}

// use gives the root of a text to a function.
func (s source) use(text string, use func(root ast.Node)) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = s.fault(position{1, 1}, "the file cannot be read as YAML")
		}
	}()
	defer caught(&err)
	s.checkText(text)
	use(s.parse(text))
	return nil
}

// checkText refuses what is not text, and text with so much punctuation that
// no problem within the limits can need it.
func (s source) checkText(text string) {
	at := position{1, 0}
	marks := 0
	for i, r := range text {
		at.column++
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"),
			r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7F:
			s.failAt(at, "byte 0x%02x does not belong here, %s is plain UTF-8 text", text[i], s.form.name)
		case r == '\u0085', r == '\u2028', r == '\u2029':
			s.failAt(at, "%U does not belong here, lines of %s end as those of plain text do", r, s.form.name)
		case r == '\n':
			at = position{at.line + 1, 0}
			marks++
		case r < utf8.RuneSelf && strings.ContainsRune("{}[],:-?&*!'\"|>%@#`", r):
			marks++
		}
		if marks > maxMarks {
			s.failAt(at, "%s", s.form.long)
		}
	}
}

// parse returns the root of the only document.
func (s source) parse(text string) ast.Node {
	// Tokens and tree of a large file take a hundred times its size, for a short
	// while: let the collector not double that.
	if len(text) > largeText {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	tokens := lexer.Tokenize(text)
	s.checkTokens(tokens)
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	var fault yaml.Error
	switch {
	case errors.As(err, &fault):
		s.failAt(positionOf(fault.GetToken()), "%s", oneLine(fault.GetMessage()))
	case err != nil:
		s.failAt(position{1, 1}, "%s", oneLine(err.Error()))
	case len(file.Docs) == 0 || isEmpty(file.Docs[0].Body):
		s.failAt(position{1, 1}, "the file is empty, must have the keys %s", s.form.keys)
	case len(file.Docs) > 1:
		s.failAt(positionOf(file.Docs[1].GetToken()), "a second document, must be only one")
	}
	return file.Docs[0].Body
}

func isEmpty(n ast.Node) bool { return n == nil || n.Type() == ast.NullType }

// unsupported are the parts of YAML that there is no use for.
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

// checkTokens refuses what strict reading does not allow, and
// what the library's parser would take too long for.
func (s source) checkTokens(tokens token.Tokens) {
	c := tokenCheck{form: s.form}
	for _, t := range tokens {
		if t.Type == token.CommentType {
			continue
		}
		if text := c.check(t); text != "" {
			s.failAt(positionOf(t), "%s", text)
		}
	}
}

// tokenCheck is what there was up to a token.
type tokenCheck struct {
	form     form
	depth    int // of brackets
	entries  int
	keys     int // since the last entry
	blocks   []block
	at       int // the column of the token before
	ended    bool
	previous token.Type
}

// block is a mapping without brackets that is not over yet: where its keys stand, and how
// many there are. Column 0 stands for a bracket that is open.
type block struct{ column, keys int }

// check returns why a file cannot have the token t here, or "".
func (c *tokenCheck) check(t *token.Token) string {
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
		return c.form.nested
	case isScalar(t) && strings.Contains(strings.TrimSpace(t.Origin), "\n"):
		return report.Quote(t.Value) + " runs over the end of the line"
	}
	c.count(t)
	switch {
	case c.depth > c.form.depth:
		return "nested too deeply"
	case c.keys > c.form.row, len(c.blocks) > 0 && c.blocks[len(c.blocks)-1].keys > c.form.row:
		return c.form.manyKeys
	case c.entries > c.form.entries:
		return c.form.long
	}
	return ""
}

func (c *tokenCheck) count(t *token.Token) {
	c.countBlock(t)
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

// countBlock counts the keys of mappings without brackets of their own. Such a mapping is
// over where something stands to the left of its keys, at the end of the brackets around it,
// and at a comma between them.
func (c *tokenCheck) countBlock(t *token.Token) {
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		c.blocks = append(c.blocks, block{})
	case token.MappingEndType, token.SequenceEndType:
		c.endBlocks(0)
		c.blocks = c.blocks[:max(len(c.blocks)-1, 0)]
	case token.CollectEntryType:
		c.endBlocks(0)
	case token.MappingValueType:
		if last := len(c.blocks) - 1; last >= 0 && c.blocks[last].column == c.at {
			c.blocks[last].keys++
		} else {
			c.blocks = append(c.blocks, block{c.at, 1})
		}
		return
	default:
		c.endBlocks(t.Position.Column)
	}
	c.at = t.Position.Column
}

// endBlocks ends the mappings to the right of a column, up to the last open bracket.
func (c *tokenCheck) endBlocks(column int) {
	for last := len(c.blocks) - 1; last >= 0 && c.blocks[last].column > column; last-- {
		c.blocks = c.blocks[:last]
	}
}

func isScalar(t *token.Token) bool {
	switch t.Type {
	case token.StringType, token.SingleQuoteType, token.DoubleQuoteType:
		return true
	}
	return false
}

// keyed returns the values of a mapping in the order of the known keys, nil where there is
// none. Before a message stands what it is that is at fault, if that is not the file.
func (s source) keyed(what string, pairs []*ast.MappingValueNode, known []string) []ast.Node {
	if what != "" {
		what += ": "
	}
	values := make([]ast.Node, len(known))
	for _, pair := range pairs {
		i := slices.Index(known, keyOf(pair))
		if i < 0 {
			s.fail(pair.Key, "%s%s", what, unknownKey(keyOf(pair), known))
		}
		if values[i] != nil {
			s.fail(pair.Key, "%s%s is given twice", what, keyOf(pair))
		}
		values[i] = pair.Value
	}
	return values
}

// scalarOf returns the text of a scalar as typed, without quotes.
func scalarOf(n ast.Node) (text string, ok bool) {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
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
	return report.Quote(n.GetToken().Value)
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

// oneLine keeps a foreign message on one line, and short.
func oneLine(s string) string { return report.Clip(strings.Join(strings.Fields(s), " "), 200) }
