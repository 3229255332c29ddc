package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// diary is middleware that notes when it is called.
func diary(notes *[]string, name string) tool.Middleware {
	return tool.Middleware{
		Name: name,
		Before: func(_ context.Context, call *tool.Call, args json.RawMessage) (json.RawMessage, error) {
			*notes = append(*notes, "before "+name+" "+call.Tool+string(args))
			return args, nil
		},
		After: func(_ context.Context, _ *tool.Call, res tool.Result, err error) (tool.Result, error) {
			kind := string(res.Value)
			if err != nil {
				kind = string(tool.AsError(err).Kind)
			}
			*notes = append(*notes, "after "+name+" "+kind)
			return res, err
		},
	}
}

func TestMiddlewareOrder(t *testing.T) {
	for _, tt := range []struct {
		name  string
		setUp func(w *world, j *Job)
		want  []string
	}{
		{"success", func(*world, *Job) {}, []string{`before a echo{"n":1}`, `before b echo{"n":1}`, `after b 1`, `after a 1`}},
		{
			"refused", func(w *world, _ *Job) { w.policyErr = tool.Fail(tool.PolicyDenied, "no") },
			[]string{`before a echo{"n":1}`, `before b echo{"n":1}`, "after b policy_denied", "after a policy_denied"},
		},
		{"parked", func(w *world, _ *Job) { w.policyErr = ErrParked }, []string{`before a echo{"n":1}`, `before b echo{"n":1}`}},
		{"not the agent's", func(w *world, _ *Job) { w.allowErr = tool.Fail(tool.ToolNotAvailable, "no") }, nil},
	} {
		var notes []string
		w := holding(t, number(t))
		j := job(`{"n":1}`)
		j.Name = "echo"
		tt.setUp(w, j)
		d := w.deps()
		d.Middleware = []tool.Middleware{diary(&notes, "a"), {Name: "empty"}, diary(&notes, "b")}
		New(d).Execute(t.Context(), j)
		if !slices.Equal(notes, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, notes, tt.want)
		}
	}
}

// number is a tool that returns its argument, which is 1 to 100.
func number(t *testing.T) *tool.Tool {
	t.Helper()
	type args struct {
		N int `json:"n" min:"1" max:"100"`
	}
	return tool.Add(tool.NewSet("Test", "test"), tool.Spec[args, int]{
		Name: "echo", Description: "Return n.", Risk: tool.Low, Timeout: time.Second,
		Run: func(_ context.Context, _ *tool.Call, a args) (int, error) { return a.N, nil },
	})
}

func TestMiddlewareChanges(t *testing.T) {
	says := func(text string) tool.Middleware {
		return tool.Middleware{Name: "m", Before: func(context.Context, *tool.Call, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(text), nil
		}}
	}
	ends := func(res tool.Result, err error) tool.Middleware {
		return tool.Middleware{Name: "m", After: func(context.Context, *tool.Call, tool.Result, error) (tool.Result, error) { return res, err }}
	}
	for _, tt := range []struct {
		name   string
		m      tool.Middleware
		result string
		kind   tool.Kind
		says   string
	}{
		{"other arguments", says(`{"n":7}`), "7", "", ""},
		{"arguments that do not fit", says(`{"n":700}`), "", tool.ValidationError, "n"},
		{"arguments that are none", says(`[`), "", tool.ValidationError, ""},
		{"another result", ends(tool.Result{Value: json.RawMessage(`"x"`)}, nil), `"x"`, "", ""},
		{"no result", ends(tool.Result{}, nil), "null", "", ""},
		{"a result that is none", ends(tool.Result{Value: json.RawMessage(`{`)}, nil), "", tool.ExecutionError, "not JSON"},
		{"an error of a kind", ends(tool.Result{}, tool.Fail(tool.NotConfigured, "not here")), "", tool.NotConfigured, "not here"},
		{"a plain error", ends(tool.Result{}, errors.New("broken")), "", tool.ExecutionError, "broken"},
		{"refusal", tool.Middleware{Name: "m", Before: func(context.Context, *tool.Call, json.RawMessage) (json.RawMessage, error) {
			return nil, tool.Fail(tool.PolicyDenied, "not on Sundays")
		}}, "", tool.PolicyDenied, "not on Sundays"},
		{
			"panic before",
			tool.Middleware{Name: "m", Before: func(context.Context, *tool.Call, json.RawMessage) (json.RawMessage, error) { panic("x") }}, "",
			tool.Internal, "",
		},
		{
			"panic after",
			tool.Middleware{Name: "m", After: func(context.Context, *tool.Call, tool.Result, error) (tool.Result, error) { panic("x") }}, "",
			tool.Internal, "",
		},
	} {
		w := holding(t, number(t))
		j := job(`{"n":1}`)
		j.Name = "echo"
		sent := j.SentHash()
		d := w.deps()
		d.Middleware = []tool.Middleware{tt.m}
		out := New(d).Execute(t.Context(), j)
		kind := tool.Kind("")
		if out.Err != nil {
			kind = out.Err.Kind
		}
		if kind != tt.kind || string(out.Result.Value) != tt.result || out.Err != nil && !strings.Contains(out.Err.Msg, tt.says) {
			t.Errorf("%s: %s %v, want %s %s", tt.name, out.Result.Value, out.Err, tt.result, tt.kind)
		}
		if j.SentHash() != sent {
			t.Errorf("%s: the hash is no longer that of what was sent", tt.name)
		}
	}
}

// rates answers each Take with what it holds.
type rates struct {
	wait  time.Duration
	err   error
	asked int
}

func (r *rates) Take(context.Context, *Job) (time.Duration, error) {
	r.asked++
	return r.wait, r.err
}

func TestRate(t *testing.T) {
	for _, tt := range []struct {
		name             string
		rates            rates
		granted          bool
		kind             tool.Kind
		says             string
		asked, retryInMS int
	}{
		{"free", rates{}, false, "", "", 1, 0},
		{
			"one too many", rates{wait: 1500 * time.Millisecond}, false, tool.RateLimited,
			"Too many calls of 'echo'; wait 2 seconds and try again.", 1, 1500,
		},
		{"by a second", rates{wait: time.Second}, false, tool.RateLimited, "wait 1 second and", 1, 1000},
		{"granted", rates{wait: time.Second}, true, "", "", 0, 0},
	} {
		w := holding(t, number(t))
		j := job(`{"n":1}`)
		j.Name, j.Granted = "echo", tt.granted
		d := w.deps()
		d.Rates = &tt.rates
		out := New(d).Execute(t.Context(), j)
		if (out.Err == nil) != (tt.kind == "") || out.Err != nil && (out.Err.Kind != tt.kind || !strings.Contains(out.Err.Msg, tt.says)) ||
			tt.rates.asked != tt.asked {
			t.Errorf("%s: %v, asked %d times", tt.name, out.Err, tt.rates.asked)
		}
		if got, _ := out.Result.Metadata["retry_after_ms"].(int64); int(got) != tt.retryInMS {
			t.Errorf("%s: retry_after_ms %d, want %d", tt.name, got, tt.retryInMS)
		}
	}
	// What was delivered before is counted again: nobody knows whether it was. An id
	// that looks made, and a store that could not be asked, are no way around.
	for _, repeats := range []bool{false, true} {
		one, w := rates{wait: time.Second}, holding(t,
			effect(new(atomic.Int64), func(s *tool.Spec[pathArgs, any]) { s.Mutates, s.Idempotent = true, repeats }))
		j := job(`{"path":"a"}`)
		j.Redelivered, j.Attempt = true, 2
		d := w.deps()
		d.Rates = &one
		out := New(d).Execute(t.Context(), j)
		wantKind(t, out, tool.RateLimited)
		if one.asked != 1 || strings.Contains(out.Err.Msg, "may have taken effect") != repeats {
			t.Errorf("delivered again: asked %d times, %q", one.asked, out.Err.Msg)
		}
	}
	w := holding(t, number(t))
	j := job(`{"n":1}`)
	j.Name = "echo"
	d := w.deps()
	d.Rates = &rates{err: errors.New("away")}
	if out := New(d).Execute(t.Context(), j); !errors.Is(out.Control, ErrRetry) {
		t.Errorf("without anybody to ask: %+v, want to try again", out)
	}
}
