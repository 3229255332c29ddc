package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 50_000) + strings.Repeat("b", 50_000)
	in := newLines(strings.NewReader("one\r\n\n"+strings.Repeat("x", 100)+"\n"+strings.Repeat("x", 101)+"\n"+long+"\nlast"), 100)
	for i, want := range []struct {
		text       string
		size       int64
		head, tail string
	}{
		{text: "one", size: 4}, {size: 0}, {text: strings.Repeat("x", 100), size: 100},
		{size: 101, head: strings.Repeat("x", 101), tail: strings.Repeat("x", 101)},
		{size: 100_000, head: strings.Repeat("a", ends), tail: strings.Repeat("b", ends)}, {text: "last", size: 4},
	} {
		l, err := in.next()
		if err != nil || string(l.text) != want.text || l.size != want.size || string(l.head) != want.head || string(l.tail) != want.tail ||
			l.tooLong() != (want.head != "") {
			t.Errorf("line %d is %q of %d bytes, %q … %q, %v", i, l.text, l.size, l.head, l.tail, err)
		}
	}
	if _, err := in.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last line comes %v", err)
	}
}

// zeros is a line without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestLineWithoutEnd(t *testing.T) {
	t.Parallel()
	if _, err := newLines(zeros{}, 100).next(); !errors.Is(err, ErrEndless) {
		t.Errorf("a line without end is %v", err)
	}
}
