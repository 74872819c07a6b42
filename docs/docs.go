// Package docs has the documents that checkrr prints.
package docs

import _ "embed" // for the documents

// Concepts is concepts.md.
//
//go:embed concepts.md
var Concepts string
