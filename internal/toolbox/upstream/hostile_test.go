package upstream

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/tool"
)

func quick(s *Server) { s.StartSeconds = 0.5 }

// TestNeverThere: servers that end immediately, never begin, or list without end are not
// there, say why, and take no other server down.
func TestNeverThere(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("good", "good"), aServer("crash", "crash"), aServer("mute", "mute", quick), aServer("pages", "pages"),
		aServer("many", "many"),
		Server{Name: "none", Command: "helve-no-such-program"})
	w.says("good_look_up", `{"word":"x"}`, `found {"word":"x"}`)
	for server, want := range map[string]string{
		"crash": "ended with the exit code 7", "mute": "in time", "pages": "more than 100 pages", "many": "at most 2000", "none": "not installed",
	} {
		why := ""
		queuetest.Until(t, server+" is not there", func() bool {
			for _, p := range w.pool.State().Problems {
				if p.Server == server && p.Tool == "" {
					why = p.Reason
				}
			}
			return strings.Contains(why, want)
		})
		fails(t, w.pool.Refuses(server+"_look"), tool.ToolNotAvailable, "the MCP server "+server)
	}
	if err := w.pool.Refuses("other_tool"); err != nil {
		t.Errorf("a tool of no server is refused: %v", err)
	}
}

// TestSchemas: a tool whose name or size is refused is withheld with a reason. A rule of a
// schema that is not checked here is left out and named, and its tool is there.
func TestSchemas(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("s", "schemas"))
	if got := w.names(); !slices.Equal(got, []string{"s_bare", "s_cycle", "s_file", "s_later", "s_look", "s_out", "s_typo", "s_web"}) {
		t.Errorf("tools %q", got)
	}
	for name, want := range map[string]string{
		"file": "$ref", "web": "$ref", "cycle": "lead back to the same schema", "list": "not a JSON object",
		"wrong name!": "no name", "hidden": "no name", "unseen": "cannot be seen", "long": "bytes",
		"numbers": "not a tool as MCP defines it", "tool 12 of the list": "not a tool as MCP defines it",
		"tool 13 of the list": "not a tool as MCP defines it",
	} {
		if why := w.reason(name); !strings.Contains(why, want) {
			t.Errorf("%s is withheld for %q, want %q", name, why, want)
		}
	}
	if out := w.tool("s_out"); string(out.ResultSchema) != `{"additionalProperties":true,"type":"object"}` {
		t.Errorf("the schema of results is %s", out.ResultSchema)
	}
	w.says("s_look", `{}`, "fine")
}

// TestHang: a call that is not answered ends with its time, and a server that answers
// nothing at all is started again.
func TestHang(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("h", "hang", quick))
	for limit := 50 * time.Millisecond; ; limit *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		_, err := w.begin("h_look", `{}`)(ctx)
		cancel()
		if _, asked := errors.AsType[*tool.Error](err); !asked && limit < queuetest.Patience { // it ended before the request was sent
			continue
		}
		fails(t, err, tool.OutcomeUnknown, "did not answer")
		return
	}
}

// TestClosesThePipe: a call whose server disconnects immediately ends with outcome_unknown.
func TestClosesThePipe(t *testing.T) {
	t.Parallel()
	no := false
	w := open(t, aServer("c", "closes", func(s *Server) { s.Tools = map[string]Settings{"look": {}} }),
		aServer("r", "closes", func(s *Server) { s.Mutates = &no }))
	_, err := w.call("c_look", `{}`)
	fails(t, err, tool.OutcomeUnknown, "may or may not have happened")
	_, err = w.call("r_look", `{}`)
	fails(t, err, tool.ExecutionError, "was lost before it answered")
}

// TestHuge: 100 MB in one answer cost a few, and only the call that asked for them.
func TestHuge(t *testing.T) { // alone: it counts what the process allocates
	w := open(t, aServer("h", "huge"), aServer("l", "huge last"))
	run := w.begin("h_look", `{}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := run(queuetest.Context(t))
	runtime.ReadMemStats(&after)
	fails(t, err, tool.ExecutionError, "at most 4194304 are taken")
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 64<<20 {
		t.Errorf("100 MB cost %d bytes", cost)
	}
	w.says("h_look", `{}`, "fine") // the same process
	_, err = w.call("l_look", `{}`)
	fails(t, err, tool.ExecutionError, "at most 4194304 are taken")
}

// TestFlood: a server that says more than anybody wants to hear is heard slowly, and
// costs no memory.
func TestFlood(t *testing.T) { // alone: it counts what the process allocates
	w := open(t, aServer("f", "flood", quick))
	run := w.begin("f_look", `{}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := run(ctx)
	runtime.ReadMemStats(&after)
	fails(t, err, tool.OutcomeUnknown, "did not answer")
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 128<<20 {
		t.Errorf("a flood cost %d bytes", cost)
	}
}

// TestGarbage: lines that are no messages are left out.
func TestGarbage(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("g", "garbage"))
	w.says("g_look", `{}`, "fine")
}

// TestStrange: answers that are none end their call, clearly, and nothing else. A tool that
// may change something ran all the same.
func TestStrange(t *testing.T) {
	t.Parallel()
	no := false
	w := open(t, aServer("s", "strange"), aServer("n", "strange", func(s *Server) { s.Mutates = &no }), aServer("r", "refuses"))
	for _, want := range []struct {
		kind tool.Kind
		says string
	}{
		{tool.ExecutionError, "as the protocol says"}, {tool.ExecutionError, "as the protocol says"},
		{tool.ExecutionError, "as the protocol says"},
		{tool.ExecutionError, "not valid UTF-8"}, {tool.Unsupported, "ask a person"},
	} {
		_, err := w.call("n_look", `{}`)
		fails(t, err, want.kind, want.says)
		if want.kind == tool.ExecutionError {
			want.kind = tool.OutcomeUnknown
		}
		_, err = w.call("s_look", `{}`)
		fails(t, err, want.kind, want.says)
	}
	_, err := w.call("r_look", `{}`)
	fails(t, err, tool.ExecutionError, "refused the call of 'r_look': word is missing")
}
