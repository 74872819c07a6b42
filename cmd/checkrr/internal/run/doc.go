// Package run answers questions about pipelines: it reads one, asks impl, judges the answer by what it must not exceed,
// prints it, and proves it in a certificate, which it checks, too. Commands declare flags, and ask. What else any of
// them needs is here as well: how errors exit, when time is up, which files must not be written over.
package run
