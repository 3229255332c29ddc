package eventstream

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// read returns the events of a stream in a short form, and its last error.
func read(r *Reader) (events []string, err error) {
	for {
		e, err := r.Next()
		if err != nil {
			return events, err
		}
		text := fmt.Sprintf("%s/%s/%s", e.Type, e.ID, e.Data)
		if e.Data == nil {
			text = fmt.Sprintf("%s/%s: nothing, retry %v", e.Type, e.ID, e.Retry)
		}
		if e.TooLong() {
			text = fmt.Sprintf("%d bytes %s…%s", e.Size, e.Head, e.Tail)
		}
		events = append(events, text)
	}
}

// TestEvents: the examples of the HTML Standard, and what servers write.
func TestEvents(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"data: a\n\n":                                          "//a",
		"\ufeffdata: a\r\rdata: b\r\n\r\n":                     "//a //b",
		"data: a\rdata: b\r\r":                                 "//a\nb",
		"data\n\ndata\ndata\n\ndata:":                          "// //\n",
		"data:test\n\ndata: test\n\n":                          "//test //test",
		"data:  two here\n\n":                                  "// two here",
		": note\n\nid: 1\ndata: a\n\n\ndata: b\n\n":            "/1/a /1/b",
		"id: 1\n\nid\ndata: a\n\n":                             "/1: nothing, retry 0s //a",
		"id: a\x00b\ndata: a\n\n":                              "//a",
		"event: add\ndata: 73857293\n\n":                       "add//73857293",
		"retry: 1500\n\nretry: +1\n\nretry: x\n\n":             "/: nothing, retry 1.5s",
		"other: x\nwrong\ndata: a\nDATA: b\n\n":                "//a",
		"data: cut off":                                        "",
		"data: a\n\n\ufeffdata: b\n\n":                         "//a",
		"data: 0123456789\n\n":                                 "//0123456789",
		"data: 01234567890\n\ndata: a\n\n":                     "11 bytes 01234567890…01234567890 //a",
		"data: 01234\ndata: 56789\ndata: x\n\n":                "13 bytes 01234\n56789…01234\n56789\nx",
		"event: " + strings.Repeat("x", 100) + "\ndata: a\n\n": "//a",
	} {
		for name, split := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "late": iotest.DataErrReader,
		} {
			events, err := read(NewReader(split(strings.NewReader(in)), 10))
			if got := strings.Join(events, " "); got != want || !errors.Is(err, io.EOF) {
				t.Errorf("%s, %s: %q, %v, want %q", name, strings.ReplaceAll(in, "\n", "|"), got, err, want)
			}
		}
	}
}

// TestRest: what the end cut off is available to a reader that wants it.
func TestRest(t *testing.T) {
	t.Parallel()
	r := NewReader(strings.NewReader("id: 7\ndata: a"), 10)
	if _, err := r.Data(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ends with %v", err)
	}
	if e, ok := r.Rest(); !ok || string(e.Data) != "a" || e.ID != "7" {
		t.Errorf("the rest is %+v, %v", e, ok)
	}
	if _, ok := r.Rest(); ok {
		t.Error("the rest is there twice")
	}
	if _, err := NewReader(strings.NewReader("data: 01234567890\n\n"), 10).Data(); !errors.Is(err, ErrTooLong) {
		t.Errorf("a long event is %v", err)
	}
}

// TestCR: a line that CR ends is complete before the next byte comes.
func TestCR(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	defer in.Close()
	go func() { _, _ = io.WriteString(out, "data: a\r\r") }()
	if e, err := NewReader(in, 10).Next(); err != nil || string(e.Data) != "a" {
		t.Errorf("event %q, %v", e.Data, err)
	}
}

// TestLong: of a very long event only the ends are kept.
func TestLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 300_000) + strings.Repeat("b", 300_000)
	e, err := NewReader(strings.NewReader("data: "+long+"\n\n"), 1000).Next()
	if err != nil || e.Size != 600_000 || string(e.Head) != strings.Repeat("a", Ends) || string(e.Tail) != strings.Repeat("b", Ends) {
		t.Errorf("event of %d bytes, %.20q … %.20q, %v", e.Size, e.Head, e.Tail, err)
	}
	stop := errors.New("stop")
	r := NewReader(strings.NewReader(": "+long+"\n\ndata: a\n\n"), 1000)
	r.Pace = func(n int) error {
		if n > 1000 {
			return stop
		}
		return nil
	}
	if _, err := r.Next(); !errors.Is(err, stop) {
		t.Errorf("a long comment is %v", err)
	}
	if _, err := NewReader(endless{}, 1000).Next(); !errors.Is(err, ErrEndless) {
		t.Errorf("a line without end is %v", err)
	}
	if r := (Event{Retry: time.Second}); r.TooLong() {
		t.Error("an event without data is too long")
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
