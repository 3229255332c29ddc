package failpoint

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]map[string]fault{
		"":                        {},
		"worker.taken=kill":       {"worker.taken": {do: kill, at: 1}},
		"worker.taken=stop@3":     {"worker.taken": {do: stop, at: 3}},
		" worker.taken=error@* ":  {"worker.taken": {do: fail}},
		"queue.ack=pause:200ms@2": {"queue.ack": {do: pause, wait: 200 * time.Millisecond, at: 2}},
		"queue.ack=kill,queue.read=error,": {
			"queue.ack": {do: kill, at: 1}, "queue.read": {do: fail, at: 1},
		},
	} {
		got, err := parse(text)
		if err != nil {
			t.Errorf("parse(%q) = %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(fault{})); diff != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseNamesEveryProblem(t *testing.T) {
	_, err := parse("nowhere=kill,queue.ack=burn,queue.read=kill@0,queue.beat=pause,queue.settle=kill:1s,worker.taken=kill,worker.taken=stop")
	if err == nil {
		t.Fatal("parse accepted nonsense")
	}
	for _, want := range []string{`"nowhere"`, `"burn"`, `not "0"`, "pause:200ms", `"kill:1s"`, "named twice"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("parse does not mention %s:\n%v", want, err)
		}
	}
}

func TestDue(t *testing.T) {
	for _, tt := range []struct {
		at, hit int64
		want    bool
	}{{1, 1, true}, {1, 2, false}, {2, 1, false}, {2, 2, true}, {0, 1, true}, {0, 9, true}} {
		if got := (fault{at: tt.at}).due(tt.hit); got != tt.want {
			t.Errorf("a fault at %d is due at hit %d: %v, want %v", tt.at, tt.hit, got, tt.want)
		}
	}
}
