package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/protocol"
)

// TestManySteps: the steps of a long program that are alike and follow each other share a row, with the
// time from the first to the last; a step that failed, that runs, or that is another has its own.
func TestManySteps(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	step := func(n int, name, status string) client.ProgramStep {
		s := client.ProgramStep{N: n, Tool: name, Line: 3, State: protocol.StateDone, Status: status, StartedAt: began}
		if status == "" {
			s.State = protocol.StateRunning
			return s
		}
		if status == "error" {
			s.ErrorType = "timeout"
		}
		end := began.Add(time.Duration(n) * time.Second)
		s.EndedAt = &end
		return s
	}
	var steps []client.ProgramStep
	for n := 1; n <= 20; n++ {
		status := "success"
		switch {
		case n == 8:
			status = "error"
		case n > 18:
			status = ""
		}
		steps = append(steps, step(n, "fetch_url", status))
	}
	steps = append(steps, step(21, "write_file", ""))
	for few, want := range map[bool]string{
		false: `N      TOOL        LINE  PART  STATE    TOOK
1-7    fetch_url   3     -     success  7s
8      fetch_url   3     -     timeout  8s
9-18   fetch_url   3     -     success  18s
19-20  fetch_url   3     -     running  -
21     write_file  3     -     running  -
`,
		true: `N  TOOL       LINE  PART  STATE    TOOK
1  fetch_url  3     -     success  1s
2  fetch_url  3     -     success  2s
`,
	} {
		var out strings.Builder
		some := steps
		if few {
			some = steps[:2]
		}
		if err := printSteps(&out, some); err != nil || out.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, &out, want)
		}
	}
}
