package client

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

const threeResults = `{"trace_id": "0af7651916cd43dd8448eb211c80319c", "results": [
  {"call_id": "c1", "tool_call_id": "call_abc", "tool": "read_file", "status": "success", "result": {"n": 12345678901234567890.10},
   "text": "hello", "duration_ms": 1.7, "attempt": 2, "worker": "w-1", "truncated": true, "metadata": {"bytes": 5}, "new_field": 1},
  {"call_id": "c2", "tool": "delete_file", "status": "pending", "state": "awaiting_consent", "consent_id": "k1"},
  {"call_id": "c3", "tool": "nope", "status": "error", "error_type": "tool_not_found", "message": "Tool 'nope' not found"}]}`

var threeCalls = Request{
	Context: Context{Agent: "a1"},
	TraceID: "0af7651916cd43dd8448eb211c80319c",
	Calls: []Call{
		{ID: "c1", ToolCallID: "call_abc", Tool: "read_file", Arguments: map[string]any{"path": "<a>"}, Timeout: 1500 * time.Microsecond},
		{ID: "c2", Tool: "delete_file", Arguments: stdjson.RawMessage(`{"a":1.50,"a":2}`), ConfirmToken: "t"},
		{ID: "c3", Tool: "nope", Arguments: `{"x":1}`},
	},
	Wait:     2 * time.Second,
	Consent:  ConsentWait,
	Callback: &Callback{URL: "https://hooks.example/x?a=b&c", Headers: map[string]string{"Authorization": "Bearer x"}},
}

func TestExecute(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(threeResults))
			c := connect(t, f, WithTenant("acme"), WithContext(Context{User: "u1", Agent: "other"}))
			resp, err := c.Execute(t.Context(), threeCalls)
			if err != nil {
				t.Fatal(err)
			}
			want := Response{TraceID: "0af7651916cd43dd8448eb211c80319c", Results: []Result{
				{
					CallID: "c1", ToolCallID: "call_abc", Tool: "read_file", Status: StatusSuccess,
					Value: stdjson.RawMessage(`{"n": 12345678901234567890.10}`), Text: "hello",
					Duration: 1700 * time.Microsecond, Attempt: 2, Worker: "w-1", Truncated: true,
					Metadata: map[string]any{"bytes": 5.0},
				},
				{CallID: "c2", Tool: "delete_file", Status: StatusPending, State: StateAwaitingConsent, ConsentID: "k1"},
				{CallID: "c3", Tool: "nope", Status: StatusError, ErrorType: tool.ToolNotFound, Message: "Tool 'nope' not found"},
			}}
			if diff := cmp.Diff(want, resp); diff != "" {
				t.Errorf("Execute (-want +got):\n%s", diff)
			}
			sent := f.last()
			if sent.op != "execute" || sent.tenant != "acme" {
				t.Errorf("sent %s of tenant %s, want execute of acme", sent.op, sent.tenant)
			}
			wantBody := `{"context":{"user":"u1","agent":"a1"},"trace_id":"0af7651916cd43dd8448eb211c80319c","wait_ms":2000,"consent":"wait",` +
				`"callback":{"url":"https://hooks.example/x?a=b&c","headers":{"Authorization":"Bearer x"}},"calls":[` +
				`{"call_id":"c1","tool_call_id":"call_abc","tool":"read_file","arguments":{"path":"<a>"},"timeout_ms":2},` +
				`{"call_id":"c2","tool":"delete_file","arguments":{"a":1.50,"a":2},"confirm_token":"t"},` +
				`{"call_id":"c3","tool":"nope","arguments":"{\"x\":1}"}]}`
			if diff := cmp.Diff(wantBody, sent.raw); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExecuteWait(t *testing.T) {
	f := farHTTP(t, always(`{"results":[{"call_id":"c","status":"pending","state":"queued"}]}`))
	c := connect(t, f)
	for _, tt := range []struct {
		wait time.Duration
		want any
	}{
		{0, nil},
		{NoWait, 0.0},
		{-time.Hour, 0.0},
		{time.Nanosecond, 1.0},
		{time.Minute, 60000.0},
	} {
		if _, err := c.Execute(t.Context(), Request{Calls: []Call{{Tool: "x"}}, Wait: tt.wait}); err != nil {
			t.Errorf("Execute with Wait %v: %v", tt.wait, err)
		}
		if got := f.last().body["wait_ms"]; got != tt.want {
			t.Errorf("Wait %v is sent as wait_ms %v, want %v", tt.wait, got, tt.want)
		}
	}
}

func TestExecuteBadArguments(t *testing.T) {
	f := farHTTP(t, always(`{}`))
	c := connect(t, f)
	for _, args := range []any{
		make(chan int),
		stdjson.RawMessage(`{"a":1}},"wait_ms":0,"x":{`),
		stdjson.RawMessage(`{"a":`),
		[]byte("{} {}"),
	} {
		_, err := c.Execute(t.Context(), Request{Calls: []Call{{Tool: "x", Arguments: args}}})
		if e, ok := errors.AsType[*RequestError](err); !ok || e.Type != BadRequest {
			t.Errorf("Execute with arguments %v: error %v, want %s", args, err, BadRequest)
		}
	}
	if f.count() != 0 {
		t.Errorf("%d requests were sent, want none", f.count())
	}
}

func TestExecuteForeignAnswer(t *testing.T) {
	for body, want := range map[string]string{
		"<html>hello</html>": "unavailable: the answer is not Helve's",
		`{"results":[]}`:     "unavailable: the server did not answer each call",
	} {
		c := connect(t, farHTTP(t, always(body)), WithRetry())
		ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
		_, err := c.Execute(ctx, Request{Calls: []Call{{Tool: "x"}}})
		cancel()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Execute answered by %s: error %v, want %s", body, err, want)
		}
	}
}

func TestResultJSON(t *testing.T) {
	for _, text := range []string{
		`{"call_id":"c1","tool_call_id":"x","trace_id":"t","tool":"read_file","status":"success","state":"done","result":{"n":1.10,"s":"\u00e9"},"text":"hi","truncated":true,"duration_ms":1.7,"attempt":1,"worker":"w","metadata":{"a":1,"b":"x"}}`,
		`{"call_id":"c2","tool":"t","status":"success","result":"","duration_ms":0.5}`,
		`{"call_id":"c3","tool":"t","status":"success","result_ref":{"object":"o","size":3,"sha256":"ab"},"duration_ms":0}`,
		`{"call_id":"c4","tool":"t","status":"error","error_type":"timeout","message":"too <slow>","duration_ms":0}`,
	} {
		var r Result
		if err := stdjson.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		got, err := r.MarshalJSON()
		if err != nil || string(got) != text {
			t.Errorf("MarshalJSON = %s, %v\nwant          %s", got, err, text)
		}
	}
	r := Result{Value: stdjson.RawMessage("1"), Ref: &ResultRef{Object: "o"}}
	if got, _ := r.MarshalJSON(); strings.Contains(string(got), "result_ref") {
		t.Errorf("MarshalJSON of a fetched result = %s, want no result_ref", got)
	}
}

func TestResultErr(t *testing.T) {
	for _, tt := range []struct {
		r    Result
		want string
	}{
		{Result{Status: StatusSuccess}, "<nil>"},
		{Result{Status: StatusError, ErrorType: tool.Timeout, Message: "too slow"}, "timeout: too slow"},
		{Result{Status: StatusPending, CallID: "c1", State: StateQueued}, "the call is not done: c1 is queued"},
		{Result{Status: StatusPending, CallID: "c1", ConsentID: "k1"}, "the call is not done: c1 waits for consent k1"},
		{Result{Status: "odd"}, `internal: the server answered with the unknown status "odd"`},
	} {
		err := tt.r.Err()
		got := "<nil>"
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("Err of %+v = %s, want %s", tt.r, got, tt.want)
		}
		if (tt.r.Status == StatusPending) != errors.Is(err, ErrPending) {
			t.Errorf("Err of a %s result: is ErrPending = %v", tt.r.Status, errors.Is(err, ErrPending))
		}
	}
}

// TestExecuteMessage: a model's message is sent unchanged, and the messages to append
// are returned. With WithRetry it is sent again, with the same IDs, until its calls are
// done.
func TestExecuteMessage(t *testing.T) {
	const (
		message  = `{"role":"assistant","tool_calls":[{"id":"a b","n":1.50}]}`
		messages = `[{"role":"tool","tool_call_id":"a b","content":"{\"n\":1.50}"}]`
		pending  = `{"trace_id":"t","results":[{"call_id":"p-0","status":"pending","state":"running"}]}`
		done     = `{"trace_id":"t","results":[{"call_id":"p-0","status":"success","result":1}],"messages":` + messages + `}`
	)
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(done))
			resp, err := connect(t, f).Execute(t.Context(), Request{
				Format:       "openai",
				Message:      stdjson.RawMessage(message),
				CallIDPrefix: "p",
				Priority:     PriorityBatch,
			})
			if err != nil || len(resp.Results) != 1 || string(resp.Messages) != messages {
				t.Errorf("Execute = %+v, %v, want one result and %s", resp, err, messages)
			}
			if want := `{"format":"openai","message":` + message + `,"call_id_prefix":"p","priority":"batch"}`; f.last().raw != want {
				t.Errorf("sent %s, want %s", f.last().raw, want)
			}
		})
	}

	prefixes := map[any]bool{}
	answers := []reply{{503, `{"error_type":"unavailable","detail":"later"}`, "0.01"}, {body: pending}, {body: done}}
	f := farHTTP(t, func(a asked) reply {
		prefixes[a.body["call_id_prefix"]] = true
		next := answers[0]
		answers = answers[1:]
		return next
	})
	resp, err := connect(t, f, WithRetry()).Execute(t.Context(), Request{Format: "openai", Message: stdjson.RawMessage(message)})
	if err != nil || string(resp.Messages) != messages || f.count() != 3 || len(prefixes) != 1 || prefixes[nil] {
		t.Errorf("Execute = %+v, %v after %d requests with the prefixes %v, want three with one", resp, err, f.count(), prefixes)
	}
}
