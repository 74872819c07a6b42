// Package program speaks to a mechanism that is an outside program: it is asked for
// outputs over its standard input and answers over its standard output, one line of JSON
// for a request and one for a reply. The protocol is docs/audit-protocol.md.
//
// A program that crashes, hangs or answers anything but what it was asked for gives an
// [Error]. The first one is final: the program is ended, and no output is drawn again.
package program
