package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// wants checks the kind of an error, and that its message contains text.
func wants(t *testing.T, err error, kind tool.Kind, text string) {
	t.Helper()
	if e := tool.AsError(err); e == nil || e.Kind != kind || !strings.Contains(e.Msg, text) {
		t.Errorf("Run = %v, want %s with %q", err, kind, text)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 2})
	for code, want := range map[string]string{
		"return args.n * 2":                     "42",
		"return 'text'":                         `"text"`,
		"return {a: [1, null]}":                 `{"a":[1,null]}`,
		"":                                      `""`,
		"return await Promise.resolve(7)":       "7",
		"return context.userId":                 `"u-1"`,
		"return '\\u2028<&>\\ud83d\\ude00 ü'":   "\"\u2028<&>😀 ü\"",
		"return typeof setTimeout + typeof fs":  `"undefinedundefined"`,
		"return typeof require + typeof module": `"undefinedundefined"`,
	} {
		j := sandbox.Job{Tenant: "t", Name: "tool", Code: code, Args: []byte(`{"n":21}`), Context: js.Context{UserID: "u-1"}}
		if v, err := p.Run(t.Context(), j); err != nil || string(v) != want {
			t.Errorf("%s: Run = %s, %v, want %s", code, v, err, want)
		}
	}
}

func TestRunFails(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 2})
	for name, tt := range map[string]struct {
		job  sandbox.Job
		kind tool.Kind
		text string
	}{
		"a throw":        {sandbox.Job{Code: "throw new Error('too bad')"}, tool.ExecutionError, "too bad"},
		"no JavaScript":  {sandbox.Job{Code: "return ]"}, tool.ValidationError, ""},
		"an escape":      {sandbox.Job{Code: "});evil();(function(){"}, tool.ValidationError, ""},
		"a huge source":  {sandbox.Job{Code: strings.Repeat(" ", js.MaxSource+1)}, tool.ValidationError, "bytes"},
		"too deep":       {sandbox.Job{Depth: permission.MaxDepth + 1}, tool.ExecutionError, "deep"},
		"never settles":  {sandbox.Job{Code: "await new Promise(() => {})"}, tool.ExecutionError, "never settles"},
		"huge arguments": {sandbox.Job{Args: []byte(`{"a":"` + strings.Repeat("x", 9<<20) + `"}`)}, tool.ValidationError, "too large"},
		"no JSON":        {sandbox.Job{Args: []byte(`{"a":`)}, tool.ValidationError, "JSON"},
		"much output":    {sandbox.Job{Code: "return 'x'.repeat(2000)", Limits: sandbox.Limits{Output: 1000}}, tool.ExecutionError, "1000"},
	} {
		_, err := p.Run(t.Context(), tt.job)
		t.Run(name, func(t *testing.T) { wants(t, err, tt.kind, tt.text) })
	}
	if v, err := p.Run(t.Context(), sandbox.Job{Code: "return 1"}); err != nil || string(v) != "1" {
		t.Errorf("after all that Run = %s, %v", v, err)
	}
}

// A child receives each source once, and keeps a bounded number.
func TestSourcesComeAndGo(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	for round := range 3 {
		for i := range 40 {
			code := fmt.Sprintf("return %d + args.a", i)
			v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Name: "n", Code: code, Args: []byte(`{"a":1}`)})
			if err != nil || string(v) != fmt.Sprint(i+1) {
				t.Fatalf("round %d, script %d: Run = %s, %v", round, i, v, err)
			}
		}
	}
}

// State that one run leaves in the runtime is not present in the next.
func TestRunsShareNothing(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	const leave = `JSON.stringify = () => '"stolen"'; Object.prototype.x = 1; this.y = 2; Array.prototype.map = null; return 0`
	for range 3 {
		_, _ = p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: leave})
		v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "return [{}.x, typeof y, [1].map(n => n + 1)]"})
		if err != nil || string(v) != `[null,"undefined",[2]]` {
			t.Errorf("Run = %s, %v", v, err)
		}
	}
}

func TestHostServes(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	var mu sync.Mutex
	var lines []string
	host := hostFunc(func(_ context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
		switch op {
		case js.OpLog:
			var line js.LogLine
			err := json.Unmarshal(args, &line)
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, line.Message)
			return nil, err
		case js.OpCall:
			var call js.CallRequest
			if err := json.Unmarshal(args, &call); err != nil {
				return nil, err
			}
			switch call.Name {
			case "echo":
				return call.Args, nil
			case "panic":
				panic("of the host")
			case "large":
				return json.Marshal(strings.Repeat("x", 9<<20))
			}
			return nil, tool.Fail(tool.Kind(call.Name), "refused")
		}
		return nil, tool.Fail(tool.Unsupported, "not %s", op)
	})
	run := func(code string) (json.RawMessage, error) {
		return p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: code, Host: host})
	}
	v, err := run("const all = []; for (let i = 0; i < 60; i++) { console.log('line ' + i); all.push(utils.callTool('echo', {i})) } return " +
		"(await Promise.all(all)).map(o => o.i).join()")
	want := "0"
	for i := 1; i < 60; i++ {
		want += fmt.Sprintf(",%d", i)
	}
	if err != nil || string(v) != `"`+want+`"` {
		t.Errorf("60 calls at once = %s, %v", v, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(lines) != 60 || !slices.IsSortedFunc(lines, func(a, b string) int { return len(a) - len(b) }) || lines[59] != "line 59" {
		t.Errorf("log = %q, want 60 lines in order", lines)
	}
	_, err = run("return utils.callTool('rate_limited', {})")
	wants(t, err, tool.RateLimited, "refused")
	_, err = run("return utils.callTool('internal', {})")
	wants(t, err, tool.ExecutionError, "refused")
	_, err = run("return utils.callTool('panic', {})")
	wants(t, err, tool.ExecutionError, "the operation failed")
	_, err = run("return utils.callTool('large', {})")
	wants(t, err, tool.ExecutionError, "does not fit")
	if v, err := run("try { await utils.callTool('policy_denied', {}) } catch (e) { return e.error_type }"); err != nil ||
		string(v) != `"policy_denied"` {
		t.Errorf("a caught refusal = %s, %v", v, err)
	}
}

// Requests of a run that are open at its end are cancelled, and their late answers are
// dropped.
func TestAsksEndWithTheRun(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	ended := make(chan error, 20)
	host := hostFunc(func(ctx context.Context, op js.Op, _ json.RawMessage) (json.RawMessage, error) {
		if op == js.OpLog {
			return nil, nil
		}
		<-ctx.Done()
		ended <- ctx.Err()
		return json.RawMessage("1"), nil
	})
	code := "utils.callTool('a', {}); return 1"
	for range 20 {
		if v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: code, Host: host}); err != nil || string(v) != "1" {
			t.Fatalf("Run = %s, %v", v, err)
		}
		if v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "return 2"}); err != nil || string(v) != "2" {
			t.Fatalf("the next Run = %s, %v", v, err)
		}
		select { // a call that was never sent did not happen
		case err := <-ended:
			if err == nil {
				t.Error("the host's context did not end")
			}
		default:
		}
	}
}
