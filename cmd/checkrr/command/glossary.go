package command

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/docs"
)

// concept is a section of docs/concepts.md.
type concept struct {
	Title string   `json:"title"`
	Terms []string `json:"terms"` // that it explains: its title, and what it sets in italics
	Text  string   `json:"text"`
}

// What a terminal does not need of Markdown.
var (
	anItalic = regexp.MustCompile(`\*+([^*\s][^*]*)\*+`) // no item of a list
	aLink    = regexp.MustCompile(`!?\[([^]]*)\]\([^)]*\)`)
	aPicture = regexp.MustCompile("(?m)^(?:!\\[|`checkrr )(?:.+\n)+\n") // and the command that draws it
)

// concepts returns the sections of docs/concepts.md.
func concepts() (all []concept) {
	for _, section := range strings.Split(docs.Concepts, "\n## ")[1:] {
		title, text, _ := strings.Cut(strings.TrimSpace(section), "\n\n")
		c := concept{Title: title, Terms: []string{title}}
		for _, found := range anItalic.FindAllStringSubmatch(text, -1) {
			c.Terms = append(c.Terms, strings.Join(strings.Fields(found[1]), " "))
		}
		text = aPicture.ReplaceAllString(text+"\n\n", "")
		text = anItalic.ReplaceAllString(aLink.ReplaceAllString(text, "$1"), "$1")
		c.Text = strings.TrimSpace(strings.ReplaceAll(text, "\n> ", "\n    "))
		all = append(all, c)
	}
	return all
}

// otherwise are words in the singular that people write for others.
var otherwise = map[string]string{"epsilon": "ε", "ep": "ε", "ℰ": "e", "delta": "δ", "neighbor": "neighbour"}

// asTerm returns a term as it is compared: in small letters, without commas, each word in the singular.
func asTerm(term string) string {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(term, ",", "")))
	for i, word := range words {
		word = singular(word)
		words[i] = cmp.Or(otherwise[word], word)
	}
	return strings.Join(words, " ")
}

// singular returns an English word without the ending of a plural, and others as they are.
func singular(word string) string {
	for _, ends := range [][2]string{{"ies", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"xes", "x"}, {"ss", "ss"}, {"s", ""}} {
		if stem, isSo := strings.CutSuffix(word, ends[0]); isSo {
			return stem + ends[1]
		}
	}
	return word
}

// explains reports whether c is about a term: a word of its title, or what it sets in italics.
func (c concept) explains(term string) bool {
	term = asTerm(term)
	return strings.Contains(" "+asTerm(c.Title)+" ", " "+term+" ") ||
		slices.ContainsFunc(c.Terms, func(t string) bool { return asTerm(t) == term })
}

func (a app) glossaryCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "glossary [TERM]", RunE: func(_ *cobra.Command, args []string) error {
		found := concepts()
		term := strings.Join(args, " ")
		if len(args) > 0 {
			if found = about(term); len(found) == 0 {
				err := fmt.Errorf("%s is no term of the glossary: checkrr glossary lists them", report.Quote(term))
				return didYouMean(err, strings.ToLower(term), terms())
			}
		}
		return a.Write("", asJSON, func() report.Object { return report.Output("concepts", found) }, func(w io.Writer) {
			writeConcepts(w, found, term != "")
		})
	}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// terms are all that is explained.
func terms() (all []string) {
	for _, c := range concepts() {
		for _, term := range c.Terms {
			all = append(all, strings.ToLower(term))
		}
	}
	return all
}

// about returns the sections about a term.
func about(term string) (found []concept) {
	for _, c := range concepts() {
		if c.explains(term) {
			found = append(found, c)
		}
	}
	return found
}

// writeConcepts prints sections, or what they are about.
func writeConcepts(w io.Writer, all []concept, whole bool) {
	for i, c := range all {
		if !whole {
			fmt.Fprintln(w, strings.Join(c.Terms, "; "))
			continue
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n\n%s\n", c.Title, c.Text)
	}
}
