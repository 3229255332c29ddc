package js_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/durabletest"
	"github.com/helve-dev/helve/tool"
)

const began = 1_790_000_000_000 // 2026-09-21T13:33:20Z

// play runs the code of a program.
func play(t testing.TB, parent *durabletest.Parent, code, input string) (string, error) {
	t.Helper()
	p, err := js.CompileDurable("program", code, false)
	if err != nil {
		return "", err
	}
	return runs(t, parent, &js.Task{
		Program: p, Args: []byte(input), Durable: &js.Durable{ID: "p-1", NowMS: began, Zone: "Pacific/Auckland"},
	})
}

func runs(t testing.TB, parent *durabletest.Parent, task *js.Task) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	defer cancel()
	parent.NowMS = began
	task.Host = parent
	v, err := js.Run(ctx, task)
	return string(v), err
}

// gives checks that a program returns want.
func gives(t *testing.T, code, want string) *durabletest.Parent {
	t.Helper()
	parent := &durabletest.Parent{}
	got, err := play(t, parent, code, `{"n":1}`)
	if err != nil || got != want {
		t.Errorf("%s\n= %s, %v, want %s", code, got, err, want)
	}
	return parent
}

// refuses checks that a program fails.
func refuses(t *testing.T, parent *durabletest.Parent, code string, kind tool.Kind, message string) {
	t.Helper()
	got, err := play(t, parent, code, `null`)
	if e, _ := errors.AsType[*tool.Error](err); e == nil || e.Kind != kind || !strings.Contains(e.Msg, message) {
		t.Errorf("%s\n= %s, %v, want %s with %q", code, got, err, kind, message)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`return await tools.echo({a: [1, "<&>ü"]})`:    `{"a":[1,"<&>ü"]}`,
		`return await tools.echo()`:                    `{}`,
		`return tools.files.read_text({path: "x"})`:    `{"path":"x"}`,
		`return tools["files.read_text"]({path: "x"})`: `{"path":"x"}`,
		`return tools`: `{}`,
		`return [typeof tools, typeof tools.x, typeof tools.x.y, tools.then, tools.x.then]`:                                      `["object","function","function",null,null]`,
		`return [tools.x === tools.x, tools["x.y"] === tools.x.y, String(tools), JSON.stringify(tools)]`:                         `[true,true,"[object Object]","{}"]`,
		`await tools; const f = tools.x.y; return (await f.call(null, {a: 1})).a`:                                                `1`,
		`return (await Promise.all([{a: 1}, {a: 2}].map(tools.echo))).map(o => o.a)`:                                             `[1,2]`,
		`try { "use strict"; tools.x = 1; tools.x.z = 1; Object.setPrototypeOf(tools, {y: 1}) } catch {}; return typeof tools.x`: `"function"`,
		`return [Object.isFrozen(tools), Object.isFrozen(tools.x), Object.isFrozen(program), Object.keys(program).join()]`:       `[true,true,true,"id,now,today,log,sleep,ask,step"]`,
		`return input.n`:    `1`,
		`return undefined`:  `null`,
		``:                  `null`,
		`return program.id`: `"p-1"`,
	} {
		gives(t, code, want)
	}
	parent := gives(t, "const [a, b] = await Promise.all([tools.a({x: 1}),\n  tools.b.c()]);\nawait tools.d(); return 1", "1")
	if parent.Ended {
		t.Error("an end was sent that has nothing new")
	}
	got, err := json.Marshal(parent.Steps)
	want := `[{"n":1,"tool":"a","args":{"x":1},"line":1,"column":42},{"n":2,"tool":"b.c","args":{},"line":2,"column":12},` +
		`{"n":3,"tool":"d","args":{},"line":3,"column":14}]`
	if err != nil || string(got) != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if !gives(t, "await tools.a(); program.log(1); return 1", "1").Ended {
		t.Error("what the code did last was not sent")
	}
}

// TestFailedStep: the last request names the step whose error the code did not catch, and none for
// an error that only looks like one.
func TestFailedStep(t *testing.T) {
	t.Parallel()
	fails := func(s js.Step) (json.RawMessage, *js.StepError) {
		if s.Tool == "bad" {
			return nil, &js.StepError{Type: "not_found", CallID: "p~9", Message: "quokka"}
		}
		return json.RawMessage(`1`), nil
	}
	for code, want := range map[string]int{
		"await tools.a(); await tools.bad()":                                             2,
		"try { await tools.bad() } catch (e) { await tools.a(); throw e }":               1,
		"await Promise.all([tools.a(), tools.bad(), tools.a()])":                         2,
		"const p = tools.bad(); try { await tools.bad() } catch {} await p":              1,
		"try { await tools.bad() } catch (e) { throw Object.assign(new Error('x'), e) }": 0,
		"try { await tools.bad() } catch {} throw new Error('x')":                        0,
		"try { await tools.bad() } catch {} return 1":                                    0,
	} {
		parent := &durabletest.Parent{Run: fails}
		_, _ = play(t, parent, code, "null")
		if parent.Failed != want {
			t.Errorf("%s: step %d, want %d", code, parent.Failed, want)
		}
	}
}
