package js

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// innerTools answers a call of echo with its arguments.
type innerTools struct{}

func (innerTools) Call(_ context.Context, name string, args json.RawMessage) (tool.Result, error) {
	if name != "echo" {
		return tool.Result{}, tool.Fail(tool.ConfirmationRequired, "%s needs a person", name)
	}
	return tool.Result{Value: args}, nil
}

func (innerTools) Batch(context.Context, []tool.InnerCall) []tool.InnerOutcome { return nil }

func (innerTools) List() []tool.Definition {
	return []tool.Definition{{Name: "echo", Description: "says it again", Category: "Test", Parameters: json.RawMessage(`{"type":"object"}`)}}
}

type secrets map[string][]tool.ServiceEntry

func (s secrets) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	return s[service], nil
}

func granted() *Ports {
	keys := secrets{
		"weather": {{Label: "main", Active: true, Data: map[string]string{"api_key": "k"}}},
		"bank":    {{Label: "mine", Active: true, Data: map[string]string{"api_key": "secret"}}},
	}
	return &Ports{
		Call:     &tool.Call{Tools: innerTools{}, Secrets: keys, Events: &tooltest.Events{}, Files: tooltest.Files{}, HTTP: offline{}},
		Services: []string{"weather", "unset"},
		Lib: func(name string) (string, error) {
			switch name {
			case "math":
				return "exports.two = 2", nil
			case "long":
				return strings.Repeat(" ", MaxSource+1), nil
			}
			return "", errors.New("no such library")
		},
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		op   Op
		args string
		want string // the answer, or the kind of the error
	}{
		{"call", OpCall, `{"name":"echo","args":{"a":1}}`, `{"a":1}`},
		{"call without arguments", OpCall, `{"name":"echo"}`, `{}`},
		{"call with null", OpCall, `{"name":"echo","args":null}`, `{}`},
		{"refused call keeps its kind", OpCall, `{"name":"delete_file"}`, "confirmation_required"},
		{"endless name", OpCall, `{"name":"` + strings.Repeat("a", 300) + `"}`, "tool_not_found"},
		{"answer beyond a frame", OpCall, `{"name":"echo","args":"` + strings.Repeat(`<`, maxAnswer/4) + `"}`, "execution_error"},
		{"tools", OpTools, `null`, `[{"name":"echo","description":"says it again","category":"Test","parameters":{"type":"object"}}]`},
		{"declared service", OpService, `"weather"`, `[{"label":"main","active":true,"data":{"api_key":"k"}}]`},
		{"declared but unset service", OpService, `"unset"`, `[]`},
		{"service that was not declared", OpService, `"bank"`, "permission_denied"},
		{"library", OpLib, `"math"`, `"exports.two = 2"`},
		{"unknown library", OpLib, `"nope"`, "execution_error"},
		{"library outside", OpLib, `"../secret"`, "validation_error"},
		{"endless library", OpLib, `"long"`, "validation_error"},
		{"log", OpLog, `{"level":"info","message":"hello"}`, `null`},
		{"log without a level", OpLog, `{"message":"hello"}`, "validation_error"},
		{"fetch that was not granted", OpFetch, `{"method":"GET","url":"http://127.0.0.1/"}`, "permission_denied"},
		{"file that was not granted", OpFile, `{"do":"read","path":"a"}`, "permission_denied"},
		{"unknown operation", "exec", `{}`, "unsupported"},
		{"no arguments", OpCall, ``, "validation_error"},
		{"other arguments", OpService, `{"name":"weather"}`, "validation_error"},
		{"arguments beyond a frame", OpService, `"` + strings.Repeat("x", maxAnswer) + `"`, "validation_error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := answer(t, granted(), tt.op, tt.args); got != tt.want {
				t.Errorf("got %.200s, want %.200s", got, tt.want)
			}
		})
	}
}

// answer returns the host's answer, or the kind of its error.
func answer(t *testing.T, p *Ports, op Op, args string) string {
	t.Helper()
	raw, err := p.Do(t.Context(), op, json.RawMessage(args))
	if err != nil {
		e, ok := errors.AsType[*tool.Error](err)
		if !ok {
			t.Fatalf("%v is not a *tool.Error", err)
		}
		if len(e.Msg) > maxMessage {
			t.Errorf("the message has %d bytes", len(e.Msg))
		}
		return string(e.Kind)
	}
	return string(raw)
}

func TestPortsUndeclaredServiceSaysHow(t *testing.T) {
	t.Parallel()
	_, err := granted().Do(t.Context(), OpService, json.RawMessage(`"bank"`))
	if err == nil || !strings.Contains(err.Error(), "required_api_keys") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestPortsWithNothing(t *testing.T) {
	t.Parallel()
	p := &Ports{Call: &tool.Call{}, Network: true, Files: true, Services: []string{"weather"}}
	for op, want := range map[Op]string{
		OpFetch: "permission_denied", OpFile: "permission_denied", OpCall: "permission_denied",
		OpService: "not_configured", OpLib: "validation_error", OpTools: "[]", OpLog: "null",
	} {
		args := map[Op]string{OpService: `"weather"`, OpLib: `"x"`, OpLog: `{"level":"info"}`}[op]
		if args == "" {
			args = "{}"
		}
		if got := answer(t, p, op, args); got != want {
			t.Errorf("%s: got %s, want %s", op, got, want)
		}
	}
}

func TestPortsCounts(t *testing.T) {
	t.Parallel()
	p := granted()
	p.Files = true
	for _, tt := range []struct {
		op   Op
		args string
		most int
	}{
		{OpCall, `{"name":"echo"}`, maxCalls},
		{OpFile, `{"do":"exists","path":"a"}`, maxFileOps},
		{OpService, `"weather"`, maxAsks},
	} {
		for i := range tt.most {
			if got := answer(t, p, tt.op, tt.args); strings.HasSuffix(got, "limited") {
				t.Fatalf("%s %d of %d: %s", tt.op, i, tt.most, got)
			}
		}
		if got := answer(t, p, tt.op, tt.args); got != "rate_limited" {
			t.Errorf("%s beyond %d: got %s", tt.op, tt.most, got)
		}
	}
}

func TestPortsLog(t *testing.T) {
	t.Parallel()
	p := granted()
	var mu sync.Mutex
	var lines []LogLine
	p.Log = func(l LogLine) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, l)
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range maxLines {
				if _, err := p.Do(context.Background(), OpLog, json.RawMessage(`{"level":"warn","message":"hello"}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	events := p.Call.Events.(*tooltest.Events).All()
	if len(lines) != maxLines || len(events) != maxLines {
		t.Errorf("%d lines and %d events, want %d", len(lines), len(events), maxLines)
	}
	if want := (tooltest.Event{Kind: "log", Data: LogLine{"warn", "hello"}}); !cmp.Equal(events[0], want) {
		t.Error(cmp.Diff(events[0], want))
	}

	p = granted()
	p.Log = func(l LogLine) { lines = append(lines, l) }
	lines = nil
	long, _ := json.Marshal(LogLine{"info", strings.Repeat("é", maxLine)})
	for range maxLines {
		answer(t, p, OpLog, string(long))
	}
	if len(lines) != maxLogged/maxLine || len(lines[0].Message) > maxLine {
		t.Errorf("%d long lines, the first of %d bytes", len(lines), len(lines[0].Message))
	}
}

// FuzzPorts holds Do to its word: whatever is asked, an answer that fits a frame
// or a *tool.Error, and never a panic.
func FuzzPorts(f *testing.F) {
	for _, seed := range [][2]string{
		{"fetch", `{"method":"GET","url":"http://[::1]:1/","headers":[["a","b"]],"body":"QQ=="}`},
		{"file", `{"do":"write","path":"a/b","data":"QQ=="}`},
		{"file", `{"do":"list","path":"../.."}`},
		{"log", `{"level":"info","message":"\ud800"}`},
		{"call", `{"name":"echo","args":[}`}, {"tools", ``}, {"service", `"weather"`}, {"lib", `"math"`}, {"lib", `[[[[`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, op string, args []byte) {
		p := granted()
		p.Network, p.Files = true, true
		raw, err := p.Do(t.Context(), Op(op), args)
		if err != nil {
			if _, ok := errors.AsType[*tool.Error](err); !ok {
				t.Errorf("%T is not a *tool.Error", err)
			}
			return
		}
		if !json.Valid(raw) || len(raw) > maxAnswer {
			t.Errorf("the answer is no JSON of a frame: %.100s", raw)
		}
	})
}
