package codeexec

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ran   tool.Contained
		check func(t *testing.T, res tool.Result)
	}{
		{"memory", tool.Contained{OutOfMemory: true, Ran: tool.Ran{Code: 137}}, func(t *testing.T, res tool.Result) {
			if text := string(res.Value); !strings.Contains(text, "more than 512 MB") || !strings.Contains(text, `"exitCode":137`) {
				t.Errorf("result %s, want it to say that memory ran out", text)
			}
		}},
		{"cut", tool.Contained{Ran: tool.Ran{Stdout: []byte("abc"), StdoutCut: 7, Stderr: []byte("d")}}, func(t *testing.T, res tool.Result) {
			want := map[string]any{"stdoutBytes": int64(10), "stderrBytes": int64(1)}
			if diff := cmp.Diff(want, res.Metadata); diff != "" || !res.Truncated {
				t.Errorf("truncated %v, metadata (-want +got):\n%s", res.Truncated, diff)
			}
		}},
		{"flood", tool.Contained{Ran: tool.Ran{Flooded: true, StdoutCut: 64 << 20}}, func(t *testing.T, res tool.Result) {
			if text := string(res.Value); !strings.Contains(text, "wrote too much: over 64 MB") {
				t.Errorf("result %s, want it to say that it wrote too much", text)
			}
		}},
	} {
		call := tool.Call{Containers: &record{ran: tt.ran}}
		tooltest.Run(t, Set, "execute_python", call, []tooltest.Case{{Name: tt.name, Args: `{"code":"x"}`, Check: tt.check}})
	}
}

// The output of a run that timed out is kept.
func TestTimedOut(t *testing.T) {
	events := &tooltest.Events{}
	ran := tool.Contained{TimedOut: true, Ran: tool.Ran{Code: 137, Stdout: []byte("half")}}
	tooltest.Run(t, Set, "execute_python", tool.Call{Containers: &record{ran: ran}, Events: events}, []tooltest.Case{
		{Name: "timeout", Args: `{"code":"x","timeout":2500}`, Fails: tool.Timeout, Message: "within 2.5s and was killed"},
	})
	all := events.All()
	if len(all) != 1 || all[0].Kind != "partial" || all[0].Data.(outcome).Stdout != "half" {
		t.Errorf("events %+v, want the output so far", all)
	}
}

func TestLimit(t *testing.T) {
	for millis, want := range map[float64]time.Duration{
		0: 10 * time.Second, -5: 10 * time.Second, math.NaN(): 10 * time.Second, 0.5: 500 * time.Microsecond, 1500: 1500 * time.Millisecond,
		30_000: 30 * time.Second, 30_001: 30 * time.Second, 1e300: 30 * time.Second, math.Inf(1): 30 * time.Second,
	} {
		if got := scripts.of(millis); got != want {
			t.Errorf("a timeout of %v ms is %v, want %v", millis, got, want)
		}
	}
	for name, want := range map[string][2]time.Duration{
		"execute_javascript": {10 * time.Second, 30 * time.Second}, "execute_python": {10 * time.Second, 30 * time.Second},
		"execute_shell": {10 * time.Second, 30 * time.Second}, "compile_code": {30 * time.Second, 60 * time.Second},
		"package_manager": {60 * time.Second, 120 * time.Second},
	} {
		const good = `"code":"1","language":"gcc","command":"npm install"`
		r := &record{}
		for i, args := range []string{`{` + good + `}`, `{` + good + `,"timeout":9e9}`} {
			tooltest.Run(t, Set, name, tool.Call{Containers: r},
				[]tooltest.Case{{Name: "runs", Args: args, Check: func(t *testing.T, _ tool.Result) {
					if r.asked.Timeout != want[i] {
						t.Errorf("%s(%s) has %v, want %v", name, args, r.asked.Timeout, want[i])
					}
				}}})
		}
	}
}
