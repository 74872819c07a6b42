package report

import (
	"bytes"
	"fmt"
	"html"
	"slices"
)

// described adds the texts of a picture to its SVG, for those who cannot see outlines: the first as the title,
// and all of them, one a line, as the description.
func described(svg []byte, texts []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>\n", html.EscapeString(texts[0]))
	for _, text := range texts {
		fmt.Fprintln(&b, html.EscapeString(text))
	}
	fmt.Fprintln(&b, "</desc>")
	head, drawing, _ := bytes.Cut(svg, []byte("<g "))
	head = bytes.Replace(head, []byte("<svg "), []byte(`<svg role="img" `), 1)
	return slices.Concat(head, b.Bytes(), []byte("<g "), drawing)
}
