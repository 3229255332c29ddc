package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// A child whose requests are not those of a program's code is ended, and its host does not see
// them.
func TestLyingPrograms(t *testing.T) {
	t.Parallel()
	const good = `{"steps":[{"n":1,"tool":"a","args":{},"line":1,"column":1}]}`
	long := strings.Repeat("x", 5000)
	for name, bad := range map[string]string{
		"another operation":  `{"op":"call","next":{}}`,
		"a log line":         `{"op":"log","next":{"level":"info","message":"x"}}`,
		"a second request":   `{"op":"next","next":` + good + `},{"op":"next","next":{}}`,
		"no object":          `{"op":"next","next":[]}`,
		"an unknown member":  `{"op":"next","next":{"Steps":[]}}`,
		"a member twice":     `{"op":"next","next":{"steps":[],"steps":[]}}`,
		"a wrong number":     `{"op":"next","next":{"steps":[{"n":2,"tool":"a","args":{}}]}}`,
		"a number twice":     `{"op":"next","next":{"steps":[{"n":1,"tool":"a","args":{}},{"n":1,"tool":"a","args":{}}]}}`,
		"no tool":            `{"op":"next","next":{"steps":[{"n":1,"args":{}}]}}`,
		"no arguments":       `{"op":"next","next":{"steps":[{"n":1,"tool":"a"}]}}`,
		"a list":             `{"op":"next","next":{"steps":[{"n":1,"tool":"a","args":[]}]}}`,
		"a long tool":        `{"op":"next","next":{"steps":[{"n":1,"tool":"` + long + `","args":{}}]}}`,
		"a long name":        `{"op":"next","next":{"steps":[{"n":1,"tool":"a","args":{},"name":"` + long + `"}]}}`,
		"a wrong type":       `{"op":"next","next":{"steps":[{"n":"1","tool":"a","args":{}}]}}`,
		"a wrong line":       `{"op":"next","next":{"steps":[{"n":1,"tool":"a","args":{},"line":-1}]}}`,
		"a wrong sleep":      `{"op":"next","next":{"sleeps":[{"n":0,"until_ms":1}]}}`,
		"a sleep before all": `{"op":"next","next":{"sleeps":[{"n":1,"until_ms":-1}]}}`,
		"a long line":        `{"op":"next","next":{"logs":[{"level":"info","message":"` + long + `"}]}}`,
		"many lines":         `{"op":"next","next":{"logs":[` + strings.Repeat(`{},`, 1000) + `{}]}}`,
		"uses unasked for":   `{"op":"uses","next":[]}`,
		"empty steps":        `{"op":"next","next":{"steps":[` + strings.Repeat(`{},`, 2_000_000) + `{}]}}`,
		"no number":          `{"op":"next","next":{"unsettled":-1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var killed kills
			p := liars(t, "sends its arguments", sandbox.Options{Slots: 1, Durable: true, Killed: killed.add})
			host := answers(func(ctx context.Context, req js.Request) (js.NextAnswer, error) {
				if string(req.Args) != good {
					t.Errorf("the host was asked for %s %.100s", req.Op, req.Args)
				}
				<-ctx.Done()
				return js.NextAnswer{}, ctx.Err()
			})
			j := program("return 1", host)
			j.Args = fmt.Appendf(nil, "[%s]", bad)
			_, err := p.Run(t.Context(), j)
			wants(t, err, tool.ExecutionError, "the sandbox ended")
			if got := killed.take(); got["protocol"] != 1 {
				t.Errorf("killed for %v", got)
			}
		})
	}
}

// A child sends the list of what its code uses once, before all else, and in the form of a list.
func TestLyingAboutUses(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]string{
		"twice":        `{"op":"uses","next":[]},{"op":"uses","next":[]}`,
		"late":         `{"op":"next","next":{}},{"op":"uses","next":[]}`,
		"no list":      `{"op":"uses","next":{}}`,
		"a wrong form": `{"op":"uses","next":[{"name":1}]}`,
		"too many":     `{"op":"uses","next":[` + strings.Repeat(`{},`, js.MaxUses) + `{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var killed kills
			p := liars(t, "sends its arguments", sandbox.Options{Slots: 1, Durable: true, Killed: killed.add})
			j := program("return 1", answers(func(ctx context.Context, _ js.Request) (js.NextAnswer, error) {
				<-ctx.Done()
				return js.NextAnswer{}, ctx.Err()
			}))
			j.Uses, j.Args = true, fmt.Appendf(nil, "[%s]", bad)
			_, err := p.Run(t.Context(), j)
			wants(t, err, tool.ExecutionError, "the sandbox ended")
			if got := killed.take(); got["protocol"] != 1 {
				t.Errorf("killed for %v", got)
			}
		})
	}
}

// The host hears what the code uses before it runs, and may refuse it; code that names no tool
// runs without.
func TestUses(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1, Durable: true})
	for code, want := range map[string]string{
		"return 1":                        "",
		"await tools.a({n: 1}); return 1": `[{"name":"a","keys":["n"],"line":1,"column":7}]`,
		"if (input) await tools['a.b'](input); return 1": `[{"name":"a.b","open":true,"line":1,"column":18}]`,
	} {
		for _, refuse := range []bool{false, true} {
			var told []string
			j := program(code, host(func(req js.Request) (js.Answer, error) {
				if req.Op == js.OpUses {
					told = append(told, string(req.Args))
					if refuse {
						return js.Answer{}, tool.Fail(tool.ValidationError, "no")
					}
					return js.Answer{}, nil
				}
				if refuse {
					t.Errorf("%s ran", code)
				}
				return js.Answer{Value: []byte(`{"events":[{"step":1}]}`)}, nil
			}))
			j.Uses = true
			got, err := p.Run(t.Context(), j)
			if strings.Join(told, " ") != want {
				t.Errorf("%s: told %v, want %s", code, told, want)
			}
			if refuse && want != "" {
				wants(t, err, tool.ValidationError, "no")
			} else if err != nil || string(got) != "1" {
				t.Errorf("%s = %s, %v", code, got, err)
			}
		}
	}
}

// host is a [js.BodyHost] that answers with a function.
type host func(js.Request) (js.Answer, error)

func (h host) Do(_ context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
	a, err := h(js.Request{Op: op, Args: args})
	return a.Value, err
}

func (h host) Answer(_ context.Context, req js.Request) (js.Answer, error) { return h(req) }

// A program that waits ends with its context, although no limit of time applies to it.
func TestWaitingProgramIsCancelled(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1, Durable: true})
	ctx, cancel := context.WithCancelCause(t.Context())
	host := answers(func(ctx context.Context, _ js.Request) (js.NextAnswer, error) {
		cancel(errStop)
		<-ctx.Done()
		return js.NextAnswer{}, ctx.Err()
	})
	j := program("await tools.a()", host)
	j.Limits.Wall = 10 * time.Second
	_, err := p.Run(ctx, j)
	wants(t, err, tool.Cancelled, "was cancelled")
}

// An answer that does not fit into a frame ends the run, not the child.
func TestHugeAnswer(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1, Durable: true})
	for size, text := range map[int]string{7 << 20: "", 9 << 20: "does not fit"} {
		host := answers(func(_ context.Context, req js.Request) (js.NextAnswer, error) {
			return js.NextAnswer{Events: []js.Event{{Step: 1, Value: []byte(`"` + strings.Repeat("x", size) + `"`)}}}, nil
		})
		v, err := p.Run(t.Context(), program("return (await tools.a()).length", host))
		switch {
		case text != "":
			wants(t, err, tool.ExecutionError, text)
		case err != nil || string(v) != fmt.Sprint(size):
			t.Errorf("Run = %s, %v", v, err)
		}
	}
}
