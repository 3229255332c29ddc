package client

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestCall(t *testing.T) {
	answers := map[string]string{
		"good":    `"status":"success","result":{"n":7}`,
		"bad":     `"status":"error","error_type":"file_not_found","message":"no such file"`,
		"parked":  awaiting,
		"nothing": `"status":"success","result":null`,
	}
	answer := func(a asked) reply {
		name := a.body["calls"].([]any)[0].(map[string]any)["tool"].(string)
		return echo(a, func(string) string { return answers[name] })
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, answer)
			c := connect(t, f)
			var out struct{ N int }
			r, err := c.Call(t.Context(), "good", map[string]int{"a": 1}, Into(&out), CallID("c1"), TraceID("t1"),
				Timeout(time.Second), Wait(time.Minute), AwaitConsent(), As(Context{User: "u"}), ConfirmToken("tok"), Batch())
			if err != nil || string(r.Value) != `{"n":7}` {
				t.Errorf("Call(good) = %+v, %v", r, err)
			}
			want := `{"context":{"user":"u"},"trace_id":"t1","wait_ms":60000,"consent":"wait","calls":[{"call_id":"c1","tool":"good","arguments":{"a":1},"confirm_token":"tok","priority":"batch","timeout_ms":1000}]}`
			if diff := cmp.Diff(want, f.last().raw); diff != "" {
				t.Errorf("body of Call (-want +got):\n%s", diff)
			}
			_, err = c.Call(t.Context(), "bad", nil)
			if e, ok := errors.AsType[*tool.Error](err); !ok || e.Kind != tool.FileNotFound || e.Msg != "no such file" {
				t.Errorf("Call(bad): error %v, want file_not_found: no such file", err)
			}
			r, err = c.Call(t.Context(), "parked", nil)
			if !errors.Is(err, ErrPending) || r.ConsentID != "k" {
				t.Errorf("Call(parked) = %+v, %v, want ErrPending and its consent", r, err)
			}
			if _, err = c.Call(t.Context(), "good", nil, Into(new(string))); err == nil {
				t.Errorf("Call(good) into a string succeeded")
			}
			if _, err = c.Call(t.Context(), "good", nil, Into(&out)); err != nil || out.N != 7 {
				t.Errorf("Call(good) decoded %+v, %v, want 7", out, err)
			}
		})
	}
}

func TestGetAndCancel(t *testing.T) {
	answer := func(a asked) reply {
		if a.body["call_id"] != "c1" {
			return reply{404, `{"error_type":"not_found","detail":"no such call"}`, ""}
		}
		return reply{body: map[string]string{
			"calls.get":    `{"call_id":"c1","tool":"x","status":"pending","state":"running"}`,
			"calls.cancel": `{"call_id":"c1","tool":"x","status":"error","state":"done","error_type":"cancelled","message":"it was cancelled"}`,
		}[a.op]}
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, answer)
			c := connect(t, f)
			got, err := c.Get(t.Context(), "c1")
			if want := (Result{CallID: "c1", Tool: "x", Status: StatusPending, State: StateRunning}); err != nil || !cmp.Equal(got, want) {
				t.Errorf("Get = %+v, %v, want %+v", got, err, want)
			}
			got, err = c.Cancel(t.Context(), "c1")
			if want := (Result{
				CallID:    "c1",
				Tool:      "x",
				Status:    StatusError,
				State:     StateDone,
				ErrorType: tool.Cancelled,
				Message:   "it was cancelled",
			}); err != nil || !cmp.Equal(got, want) {
				t.Errorf("Cancel = %+v, %v, want %+v", got, err, want)
			}
			_, err = c.Get(t.Context(), "c2")
			if e, ok := errors.AsType[*RequestError](err); !ok || e.Type != NotFound {
				t.Errorf("Get of an unknown call: error %v, want %s", err, NotFound)
			}
			asked := f.count()
			for _, id := range []string{"", "..", "a/b", "a b"} {
				if _, err := c.Cancel(t.Context(), id); err == nil || f.count() != asked {
					t.Errorf("Cancel(%q): error %v, want one without a request", id, err)
				}
			}
		})
	}
}

func TestArguments(t *testing.T) {
	answer := func(a asked) reply {
		switch {
		case a.op != "calls.get" || a.body["include"] != "arguments":
			return reply{400, `{"error_type":"bad_request","detail":"not asked for the arguments"}`, ""}
		case a.body["call_id"] == "done":
			return reply{body: `{"call_id":"done","tool":"x","status":"success","state":"done","arguments":{"n":12345678901234567890}}`}
		case a.body["call_id"] == "open":
			return reply{body: `{"call_id":"open","tool":"x","status":"pending","state":"running"}`}
		}
		return reply{404, `{"error_type":"not_found","detail":"no such call"}`, ""}
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, answer)
			c := connect(t, f)
			if got, err := c.Arguments(t.Context(), "done"); err != nil || string(got) != `{"n":12345678901234567890}` {
				t.Errorf("Arguments of a call that is done = %s, %v", got, err)
			}
			if got, err := c.Arguments(t.Context(), "open"); err != nil || got != nil {
				t.Errorf("Arguments of a call that runs = %s, %v, want nil", got, err)
			}
			_, err := c.Arguments(t.Context(), "other")
			if e, ok := errors.AsType[*RequestError](err); !ok || e.Type != NotFound {
				t.Errorf("Arguments of an unknown call: error %v, want %s", err, NotFound)
			}
			asked := f.count()
			if _, err := c.Arguments(t.Context(), "a/b"); err == nil || f.count() != asked {
				t.Errorf("Arguments(a/b): error %v, want one without a request", err)
			}
		})
	}
}
