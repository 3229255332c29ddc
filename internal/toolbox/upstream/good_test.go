package upstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/tool"
)

// TestTools: what a server lists becomes tools by the operator's settings; what it says
// of its own tools is made harmless and believed only where it makes them more dangerous.
func TestTools(t *testing.T) {
	t.Parallel()
	no := false
	w := open(t, aServer("good-one", "good", func(s *Server) {
		s.Allow, s.Deny = []string{"*"}, []string{"b?g", "w*"}
		s.Tools = map[string]Settings{
			"count": {Risk: tool.Low, Mutates: &no, TimeoutSeconds: 5}, "erase": {Risk: tool.Low},
			"draw": {Scopes: &tool.Scopes{Hosts: []string{"a.example"}}}, "gone": {Risk: tool.High},
		}
	}))
	want := []string{
		"good_one_ask", "good_one_count", "good_one_die", "good_one_draw", "good_one_env", "good_one_erase", "good_one_look_up", "good_one_morph",
		"good_one_spawn",
	}
	if diff := cmp.Diff(want, w.names()); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	look := w.tool("good_one_look_up").Definition
	if diff := cmp.Diff(tool.Definition{
		Name: "good_one_look_up", Description: "Looks up things.", Category: "MCP", Group: "mcp_good-one", Version: "1",
		Parameters: []byte(`{"properties":{"word":{"description":"What to look up.","type":"string"}},"required":["word"],"type":"object"}`),
		Risk:       tool.Medium, Confirmation: tool.ConfirmIfDestructive, Mutates: true, OpenWorld: true,
		Scopes: tool.Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}}, RequiredPermissions: []string{},
		TimeoutSeconds: 30, Tags: []string{"mcp", "good-one", "hint: read only"}, Pool: "default", Kind: tool.KindMCP, Enabled: true,
	}, look); diff != "" {
		t.Errorf("definition (-want +got):\n%s", diff)
	}
	if count := w.tool("good_one_count"); count.Risk != tool.Low || count.Mutates || count.TimeoutSeconds != 5 ||
		string(count.ResultSchema) != `{"type":"object"}` {
		t.Errorf("the operator's settings made %+v", count.Definition)
	}
	if erase := w.tool("good_one_erase"); !erase.Destructive || erase.Risk != tool.Medium {
		t.Errorf("a server that says its tool destroys made %+v", erase.Definition)
	}
	if draw := w.tool("good_one_draw"); draw.Scopes.Hosts[0] != "a.example" || draw.Identity == w.tool("good_one_env").Identity {
		t.Errorf("draw is %+v", draw)
	}
	if why := w.reason("gone"); !strings.Contains(why, "no such tool") {
		t.Errorf("of settings for a tool that is not there is said %q", why)
	}
}

// TestResults: each form of content has its form here, and numbers keep every digit.
func TestResults(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("g", "good", func(s *Server) { s.MaxResultBytes = 1000 }))
	w.says("g_look_up", `{"word":"x"}`, `found {"word":"x"}`)
	res, err := w.call("g_count", `{}`)
	if err != nil || string(res.Value) != `{"id":9007199254740993,"share":0.10}` || res.Text != "many" {
		t.Errorf("structured content is %s, %q, %v", res.Value, res.Text, err)
	}
	res, err = w.call("g_draw", `{}`)
	if want := `{"content":[{"type":"text","text":"a dot"},{"type":"image","mime_type":"image/png","size":3,"data":"AQID"},{"type":"resource_link","uri":"file:///a.txt","name":"a"},{"type":"resource","text":"a note","uri":"note://1"}]}`; err != nil ||
		string(res.Value) != want {
		t.Errorf("content is %s, %v, want %s", res.Value, err, want)
	}
	if want := "a dot\n[image image/png, 3 bytes]\n[resource_link a file:///a.txt]\na note"; res.Text != want {
		t.Errorf("a model is shown %q, want %q", res.Text, want)
	}
	res, err = w.call("g_big", `{}`)
	if err != nil || !res.Truncated || res.Text != strings.Repeat("ä", 500) || res.Metadata["size"] != 200_000 ||
		string(res.Value) != `"`+res.Text+`"` {
		t.Errorf("a result over the cap is %d bytes, truncated %v, %v, %v", len(res.Text), res.Truncated, res.Metadata, err)
	}
	_, err = w.call("g_erase", `{}`)
	fails(t, err, tool.ExecutionError, "'g_erase' failed: no such thing")
}

// TestRefusesRequests: a server asks for no model, no directory and no person.
func TestRefusesRequests(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("g", "good"), aServer("r", "asks"))
	w.says("g_ask", `{}`, "true true true")
	for range 4 {
		if res, err := w.call("r_look", `{}`); err != nil || !strings.Contains(res.Text, `"code":-32601`) {
			t.Errorf("the server was answered %s, %v", res.Text, err)
		}
	}
}

// TestEnvironment: a server has of the worker's environment only what everything needs.
func TestEnvironment(t *testing.T) {
	t.Setenv("HELVE_TEST_SECRET", "secret")
	t.Setenv("LANG", "C")
	w := open(t, aServer("g", "good", func(s *Server) { s.Env = map[string]string{"DECLARED": "yes"} }))
	res, err := w.call("g_env", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(res.Text, "\n") {
		name, value, _ := strings.Cut(line, "=")
		if want, ok := map[string]string{"PATH": os.Getenv("PATH"), "HOME": os.Getenv("HOME"), "LANG": "C", "DECLARED": "yes"}[name]; !ok ||
			value != want {
			t.Errorf("the server has %s", line)
		}
	}
}

// TestCancel: progress becomes events, and the end of a call is told to the server.
func TestCancel(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("g", "good"))
	file := filepath.Join(t.TempDir(), "cancelled")
	ctx, cancel := context.WithCancel(queuetest.Context(t))
	done := make(chan error, 1)
	run := w.begin("g_wait", fmt.Sprintf(`{"file":%q}`, file))
	go func() {
		_, err := run(ctx)
		done <- err
	}()
	if got, want := queuetest.Receive(t, w.events, "progress"), `progress {"message":"half way","progress":1,"total":2}`; got != want {
		t.Errorf("event %s, want %s", got, want)
	}
	cancel()
	if err := queuetest.Receive(t, done, "end of the call"); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v, want that of its context", err)
	}
	queuetest.Until(t, "the server receives the cancellation", func() bool { return read(t, file) == "cancelled" })
	w.says("g_look_up", `{"word":"x"}`, `found {"word":"x"}`) // and goes on
}

// TestEndsAllProcesses: what a server started ends with it, also when it left its group.
func TestEndsAllProcesses(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("g", "good"))
	res, err := w.call("g_spawn", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(res.Text)
	if err != nil || syscall.Kill(pid, 0) != nil {
		t.Fatalf("the server started %q: %v", res.Text, err)
	}
	w.pool.Close()
	queuetest.Until(t, "it is gone", func() bool { return syscall.Kill(pid, 0) != nil })
}

// TestRestarts: a server that dies is started again, and what it was doing is unknown.
func TestRestarts(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("g", "good"))
	for n := range 2 {
		_, err := w.call("g_die", `{}`)
		fails(t, err, tool.OutcomeUnknown, "may or may not have happened")
		queuetest.Until(t, "it was noticed", func() bool { return w.counts(fmt.Sprintf(`helve_upstream_restarts_total{server="g"} %d`, n+1)) })
		queuetest.Until(t, "it is there again", func() bool { return w.pool.Refuses("g_die") == nil })
	}
	for _, line := range []string{
		`helve_upstream_up{server="g"} 1`, `helve_upstream_restarts_total{server="g"} 2`, `helve_upstream_withheld_tools{server="g"} 0`,
		`helve_upstream_call_seconds_count{outcome="outcome_unknown",server="g"} 2`,
	} {
		queuetest.Until(t, line, func() bool { return w.counts(line) })
	}
	w.says("g_look_up", `{"word":"x"}`, `found {"word":"x"}`)
}
