package services

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// step is a change of the file and what is seen after it.
type step struct {
	name    string
	do      func(path string)
	wait    time.Duration
	want    string // the value that is seen
	reports int    // so far
	report  string // what the last of them says
}

func TestReload(t *testing.T) {
	put := func(text string, age time.Duration) func(string) {
		return func(path string) { write(t, path, text, age) }
	}
	mode := func(mode os.FileMode) func(string) {
		return func(path string) {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	const long = 2 * every
	synctest.Test(t, func(t *testing.T) {
		c, path, reports := open(t, one("first"))
		for _, s := range []step{
			{"unchanged", func(string) {}, long, "first", 0, ""},
			{"changed, but looked at just now", put(one("second"), time.Minute), every / 2, "first", 0, ""},
			{"a second later", func(string) {}, every, "second", 0, ""},
			{"same size, other time", put(one("fourth"), time.Second), long, "fourth", 0, ""},
			{"broken", put("- service: [hunter2\n", time.Second), long, "fourth", 1, "around line 1"},
			{"still broken", func(string) {}, long, "fourth", 1, ""},
			{"mended", put(one("fifth"), time.Second), long, "fifth", 1, ""},
			{"readable by others", mode(0o644), long, "fifth", 2, "chmod 600"},
			{"mended again", mode(0o600), long, "fifth", 2, ""},
			{"emptied", put("", time.Second), long, "fifth", 3, "it is empty"},
			{"gone", func(path string) { os.Remove(path) }, long, "fifth", 4, "it cannot be read"},
			{"still gone", func(string) {}, long, "fifth", 4, ""},
			{"back", put(one("sixth"), time.Second), long, "sixth", 4, ""},
			{"all taken away", put("[]", time.Second), long, "", 4, ""},
		} {
			s.do(path)
			time.Sleep(s.wait)
			got := strings.TrimSuffix(strings.TrimPrefix(labels(t, c, "default", "", "s"), "default:"), ";")
			if got != s.want || len(*reports) != s.reports || !strings.Contains(joined(*reports), s.report) {
				t.Errorf("%s: sees %q, reports %q; want %q and %d reports with %q", s.name, got, *reports, s.want, s.reports, s.report)
			}
			if strings.Contains(joined(*reports), "hunter2") {
				t.Errorf("%s: a report shows a value: %q", s.name, *reports)
			}
		}
	})
}

// A file that was written a moment ago may be half of what it will be.
func TestReloadWaitsForRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, path, _ := open(t, one("first"))
		time.Sleep(2 * every)
		write(t, path, one("seco"), rest/2)
		if got := labels(t, c, "default", "", "s"); got != "default:first;" {
			t.Errorf("at once = %s", got)
		}
		time.Sleep(every)
		if got := labels(t, c, "default", "", "s"); got != "default:seco;" {
			t.Errorf("a second later = %s", got)
		}
	})
}
