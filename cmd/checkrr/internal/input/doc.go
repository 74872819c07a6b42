// Package input reads what people write: numbers exactly as typed, problem files and flags, ledgers, audit
// files. Its errors say what is wrong, where, and which rule it breaks: what is called check refuses, and a fault is
// the error, with its place.
package input
