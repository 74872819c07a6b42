package run

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSamePlace: a file that is not there yet is the same under both names of its folder, of which a link stands for any.
func TestSamePlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	one, other := filepath.Join(folder, "one"), filepath.Join(folder, "other")
	if err := os.Mkdir(one, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(one, other); err != nil {
		t.Skip(err)
	}
	for _, x := range []struct {
		a, b   string
		isSame bool
	}{
		{filepath.Join(one, "x"), filepath.Join(other, "x"), true},
		{filepath.Join(one, "x"), filepath.Join(other, "y"), false},
		{filepath.Join(one, "x"), filepath.Join(folder, "x"), false},
		{filepath.Join(folder, "none", "x"), filepath.Join(folder, "none", "x"), false},
	} {
		if same := samePlace(x.a, x.b); same != x.isSame {
			t.Errorf("%s and %s are the same: %v", x.a, x.b, same)
		}
	}
}
