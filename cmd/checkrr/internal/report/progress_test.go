package report

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProgressOnlyOnTerminals checks that nothing is drawn into a file or pipe.
func TestProgressOnlyOnTerminals(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var memory strings.Builder
	for _, stderr := range []io.Writer{f, &memory} {
		progress, clear := ProgressOn(stderr)
		progress(0.5)
		time.Sleep(patience + redraw)
		clear()
	}
	if info, err := f.Stat(); err != nil || info.Size() > 0 || memory.Len() > 0 {
		t.Errorf("progress is drawn into a file, or memory: %v, %q", err, &memory)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var quick strings.Builder
	progress, clear := drawProgress(&quick, time.Hour)
	progress(0.1)
	clear()
	if quick.Len() > 0 {
		t.Errorf("a quick computation draws %q", quick.String())
	}
	var slow strings.Builder
	progress, clear = drawProgress(&slow, 0)
	for _, done := range []float64{-1, 0, 0.5, 1, 2} {
		progress(done)
		time.Sleep(redraw / 2)
	}
	clear()
	clear() // once before the results are printed, and once whatever happens
	if !strings.Contains(slow.String(), "%") {
		t.Errorf("a slow computation draws %q, want percentages", slow.String())
	}
	if blank := slow.String()[strings.LastIndex(slow.String(), "%"):]; !strings.HasSuffix(slow.String(), "\r") {
		t.Errorf("the drawing ends in %q, want a cleared line", blank)
	}
}
