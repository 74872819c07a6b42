package input

import (
	"errors"
	"io"
	"os"
)

// OpenInput opens a file, or stdin if its name is "-", and returns its name for messages.
func OpenInput(name string, stdin io.Reader) (r io.ReadCloser, shown string, err error) {
	if name == "-" {
		return io.NopCloser(stdin), ShownName(name), nil
	}
	if name == "" { // as that of a variable that is not set
		return nil, name, errors.New("the name of a file is empty")
	}
	r, err = os.Open(name)
	return r, name, err
}

// ShownName is the name of a file for messages.
func ShownName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}
