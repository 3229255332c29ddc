package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/tool"
)

// deep is n arrays around each other.
func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestOneCallFailsAlone(t *testing.T) {
	for _, tt := range []struct{ call, want string }{
		{`{}`, "names no tool"},
		{`{"tool":null}`, "names no tool"},
		{`{"tool":5}`, "tool must be a string, not a number"},
		{`{"tool":""}`, "not a tool's name"},
		{`{"tool":"no such tool!"}`, `"no such tool!" is not a tool's name`},
		{`{"tool":"` + strings.Repeat("a", 65) + `"}`, "not a tool's name"},
		{`{"tool":"a","tool":"b"}`, `has "tool" twice`},
		{`{"tool":"a","call_id":5}`, "call_id must be a string, not a number"},
		{`{"tool":"a","call_id":""}`, "call_id must match"},
		{`{"tool":"a","call_id":"a.b"}`, `call_id must match [A-Za-z0-9_-]{1,128}, but it is "a.b"`},
		{`{"tool":"a","call_id":"` + strings.Repeat("a", 129) + `"}`, "call_id must match"},
		{`{"tool":"a","tool_call_id":["x"]}`, "tool_call_id must be a string, not an array"},
		{`{"tool":"a","tool_call_id":"` + strings.Repeat("é", 129) + `"}`, "tool_call_id must have at most 256 bytes, but it has 258"},
		{`{"tool":"a","tool_call_id":"\ud800"}`, "tool_call_id holds half of a surrogate pair"},
		{`{"tool":"a","confirm_token":{}}`, "confirm_token must be a string, not an object"},
		{`{"tool":"a","confirm_token":"` + strings.Repeat("x", maxToken+1) + `"}`, "confirm_token must have at most"},
		{`{"tool":"a","priority":"urgent"}`, `priority must be "interactive" or "batch", but it is "urgent"`},
		{`{"tool":"a","priority":5}`, "priority must be a string, not a number"},
		{`{"tool":"a","timeout_ms":-5}`, "timeout_ms must be a number"},
		{`{"tool":"a","timeout_ms":"5"}`, "timeout_ms must be a number"},
		{`{"tool":"a","timeout_ms":true}`, "timeout_ms must be a number"},
		{`{"tool":"a","arguments":[]}`, "expected object, got array"},
		{`{"tool":"a","arguments":7}`, "expected object, got number"},
		{`{"tool":"a","arguments":"not json"}`, "not valid JSON"},
		{`{"tool":"a","arguments":"[1]"}`, "expected object, got array"},
		{`{"tool":"a","arguments":{"x":1,"x":2}}`, "duplicate key 'x'"},
		{`{"tool":"a","arguments":{"x":{"y":1,"y":2}}}`, "duplicate key 'y'"},
		{`{"tool":"a","arguments":"{\"x\":1,\"x\":2}"}`, "duplicate key 'x'"},
		{`{"tool":"a","arguments":{"x":"\ud800"}}`, "not valid JSON"},
		{`{"tool":"a","arguments":{"x":1e999}}`, "exponent"},
		{`{"tool":"a","arguments":{"x":` + deep(200) + `}}`, "nested more than"},
		{`{"tool":"a","arguments":{"x":` + deep(10_000) + `}}`, "nested more than"},
		{`{"tool":"a","arguments":{"x":` + deep(100_000) + `}}`, "nested more than"},
		{`{"tool":"a","arguments":` + strings.Repeat(`{"x":`, 100_000) + "1" + strings.Repeat("}", 100_000) + `}`, "nested more than"},
		{`{"tool":"a","arguments":{"x":"` + strings.Repeat("x", 2<<20) + `"}}`, "larger than 1 MiB"},
	} {
		got := parse(t, `{"calls":[{"tool":"before"},`+tt.call+`,{"tool":"after","arguments":{"n":1}}]}`)
		if len(got.Calls) != 3 || got.Calls[0].Problem != nil || got.Calls[2].Problem != nil || string(got.Calls[2].Arguments) != `{"n":1}` {
			t.Errorf("%.100s: the neighbours are %+v", tt.call, got.Calls)
			continue
		}
		problem := got.Calls[1].Problem
		if problem == nil || problem.Kind != tool.ValidationError || !strings.Contains(problem.Msg, tt.want) {
			t.Errorf("%.100s: Problem = %v, want validation_error with %q", tt.call, problem, tt.want)
		}
		if problem != nil && len(problem.Msg) > 300 {
			t.Errorf("%.100s: the message has %d bytes", tt.call, len(problem.Msg))
		}
	}
}

// A call is known by what of it is sound, and never by what is not.
func TestProblemKeepsTheRest(t *testing.T) {
	got := parse(t, `{"calls":[
		{"call_id":"no good","tool_call_id":"t1","tool":"a","timeout_ms":5},
		{"call_id":"c2","tool":"not a name, `+strings.Repeat("é", 60)+`","arguments":[],"tool_call_id":"t2"}]}`)
	for i := range got.Calls {
		if got.Calls[i].Problem == nil {
			t.Errorf("calls[%d] has no problem", i)
		}
		got.Calls[i].Problem = nil
	}
	want := []dispatch.Call{
		{Call: call.Call{ToolCallID: "t1", Tool: "a", TimeoutMS: (5 * time.Millisecond).Milliseconds()}},
		{Call: call.Call{ID: "c2", ToolCallID: "t2", Tool: "not a name, " + strings.Repeat("é", 26)}},
	}
	if diff := cmp.Diff(want, got.Calls, cmpopts.IgnoreUnexported(dispatch.Call{})); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestArgumentsPassAsTheyAre(t *testing.T) {
	for sent, want := range map[string]string{
		`{}`: `{}`,
		`{"n":12345678901234567890.123456789012345678901234567890, "e":1E+2,"s":"\u00e9\/"}`: `{"n":12345678901234567890.123456789012345678901234567890, "e":1E+2,"s":"\u00e9\/"}`,
		`"{\"n\": 9007199254740993}"`:                `{"n": 9007199254740993}`,
		`{"x":` + deep(100) + `}`:                    `{"x":` + deep(100) + `}`,
		`{"x":"` + strings.Repeat("x", 1<<19) + `"}`: `{"x":"` + strings.Repeat("x", 1<<19) + `"}`,
	} {
		call := parse(t, fmt.Sprintf(`{"calls":[{"tool":"a","arguments": %s }]}`, sent)).Calls[0]
		if call.Problem != nil || string(call.Arguments) != want {
			t.Errorf("arguments %.100s came as %.100s, %v", sent, call.Arguments, call.Problem)
		}
	}
}

func BenchmarkParseExecute(b *testing.B) {
	body := []byte(typical)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := ParseExecute(body, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
