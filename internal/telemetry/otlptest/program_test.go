package otlptest

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// testProgram checks the spans of a program that has made a step, slept until its turn was over, and
// then made a program with a step: all turns and steps of a program are below its acceptance,
// also those after it was stored and read again.
func testProgram(t *testing.T, spans []received) {
	t.Helper()
	accepted := map[pcommon.SpanID]string{}
	var outer, inner pcommon.SpanID
	for _, s := range spans {
		id, _ := s.Attributes().Get("helve.call_id")
		accepted[s.SpanID()] = s.Name()
		switch {
		case s.Name() != "accept run_program":
		case len(id.Str()) > 2 && id.Str()[len(id.Str())-2:] == "~2":
			inner = s.SpanID()
		default:
			outer = s.SpanID()
		}
	}
	below := map[pcommon.SpanID]map[string]int{outer: {}, inner: {}}
	for _, s := range spans {
		names, ok := below[s.ParentSpanID()]
		if ok {
			names[s.Name()]++
		}
		if accepted[s.ParentSpanID()] == "" && s.Name() != "POST /v1/execute" {
			t.Errorf("%s of a program has no parent in its trace", s.Name())
		}
	}
	if outer.IsEmpty() || inner.IsEmpty() {
		t.Fatalf("the trace of a program lacks its acceptance:\n%s", tree(t, spans))
	}
	// A turn may end early on a busy machine, so there may be more.
	if o := below[outer]; o["accept debug.echo"] != 1 || o["accept run_program"] != 1 || o["execute_tool run_program"] < 2 {
		t.Errorf("below the acceptance of the program are %v:\n%s", o, tree(t, spans))
	}
	if i := below[inner]; i["accept debug.echo"] != 1 || i["execute_tool run_program"] < 1 {
		t.Errorf("below the acceptance of the program in it are %v:\n%s", i, tree(t, spans))
	}
}
