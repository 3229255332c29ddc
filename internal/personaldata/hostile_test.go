package personaldata

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/test/testmutate"
)

// seedsOf returns good files of a format.
func seedsOf(t *testing.T, name string) (seeds [][]byte) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*." + name)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files of %s: %v", name, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, data)
	}
	return seeds
}

// TestMutated: no file ends the process, or is read without end.
func TestMutated(t *testing.T) {
	t.Parallel()
	for _, name := range Formats() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testmutate.Each(t, testmutate.Count, seedsOf(t, name), func(data []byte) {
				// A panic that Read recovered is a fault of a parser of ours.
				err := formats[name].read(bytes.NewReader(data), receiver{func(*store.Item) error { return nil }, func(Problem) {}})
				if err != nil && strings.Contains(err.Error(), "panic") {
					t.Errorf("%.300q: %v", data, err)
				}
			})
		})
	}
}

// TestParameterWithoutValue: a line that no parser understands ends neither the process nor
// the reading of its event, unless the event needs it.
func TestParameterWithoutValue(t *testing.T) {
	data, err := os.ReadFile("testdata/ics-param-without-colon-panic.ics")
	if err != nil {
		t.Fatal(err)
	}
	list := readBack(t, "ics", string(data))
	if len(list) != 1 || !strings.Contains(string(list[0].Doc), `"startTime":"2026-01-01T10:00:00Z"`) {
		t.Errorf("the events are %+v", list)
	}
}

// TestLongLines: the time to read a file is proportional to its length.
func TestLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 4<<20)
	for _, tt := range []struct{ name, text string }{
		{
			"ics",
			"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260101T100000Z\r\nX;A=" + long + ":1\r\nX;A=\"" + long +
				"\":1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
		},
		{
			"ics",
			"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260101T100000Z\r\nX:" + strings.Repeat("y\r\n ", 1<<20) +
				"\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
		},
		{"ics", "BEGIN:VCALENDAR\r\n" + strings.Repeat("BEGIN:X\r\n", 1<<20)},
		{"vcf", "BEGIN:VCARD\r\nFN:x\r\nNOTE:" + strings.Repeat("y\r\n ", 1<<20) + "\r\nEND:VCARD\r\n"},
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = readAll(t, tt.name, tt.text)
		}()
		select {
		case <-done:
		case <-time.After(testmutate.Patience):
			t.Fatalf("%.100q is not read in time", tt.text)
		}
	}
}

// TestFolding: no line of an exported file is longer than 75 bytes, no character is split,
// and the file reads back.
func TestFolding(t *testing.T) {
	title := strings.Repeat("Größe 🎉 ", 60)
	for name, doc := range map[string]*store.Item{
		"ics": item("events", "e1",
			`{"title":"`+title+`","startTime":"2026-01-01T10:00:00Z","starts":"2026-01-01T10:00:00Z","ends":"2026-01-01T10:00:00Z"}`),
		"vcf": item("contacts", "c1", `{"name":"`+title+`"}`),
	} {
		text := written(t, name, doc)
		for line := range strings.SplitSeq(text, "\r\n") {
			if len(line) > 75 || !strings.Contains(text, "\r\n ") || strings.ToValidUTF8(line, "") != line {
				t.Errorf("%s has the line %q of %d bytes", name, line, len(line))
			}
		}
		if back := readBack(t, name, text); len(back) != 1 || !strings.Contains(string(back[0].Doc), strings.TrimSpace(title)) {
			t.Errorf("%s reads back as %s", name, back[0].Doc)
		}
	}
}
