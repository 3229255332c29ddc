package upstream

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func environment(name string) (string, bool) {
	value, ok := map[string]string{"TOKEN": "t0p", "EMPTY": ""}[name]
	return value, ok
}

// TestRead: a file of either form is read, variables are filled in, and what is wrong
// with one server leaves the others alone.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"servers", "mcpServers"} {
		file := filepath.Join(t.TempDir(), "mcp.json")
		text := fmt.Sprintf(`{%q: {
			"hub": {"url": "https://mcp.example/x", "headers": {"Authorization": "Bearer ${TOKEN}", "X": "${EMPTY}-"}, "prefix": "", "risk": "low", "tools": {"a": {"risk": "high"}}},
			"local": {"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"KEY": "${TOKEN}", "API_TOKEN": "in clear"}, "cwd": "/srv", "pin": "review"},
			"off": {"command": "x", "disabled": true, "env": {"A": "${GONE}"}},
			"gone": {"command": "x", "env": {"A": "${GONE}"}}, "typo": {"comand": "x"}, "list": []}}`, key)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		servers, problems, err := Read(file, environment)
		if err != nil || len(servers) != 2 {
			t.Fatalf("%d servers, %v, problems %v", len(servers), err, problems)
		}
		hub, local := servers[0], servers[1]
		if hub.Name != "hub" || hub.Headers["Authorization"] != "Bearer t0p" || hub.Headers["X"] != "-" || hub.prefix() != "" ||
			hub.Risk != tool.Low || hub.Tools["a"].Risk != tool.High {
			t.Errorf("hub is %+v", hub)
		}
		if local.Name != "local" || local.Env["KEY"] != "t0p" || local.Dir != "/srv" || local.prefix() != "local_" || local.Pin != PinReview {
			t.Errorf("local is %+v", local)
		}
		want := []Problem{
			{Server: "gone", Reason: "A needs the variable GONE, which is not set for the worker"},
			{Server: "list", Reason: "it must be a JSON object"},
			{
				Server:  "local",
				Reason:  "env.API_TOKEN looks like a secret that is written in the file; put it into the worker's environment and write ${NAME}",
				Warning: true,
			},
			{Server: "typo", Reason: "the field comand is not known"},
		}
		if diff := cmp.Diff(want, problems); diff != "" {
			t.Errorf("problems (-want +got):\n%s", diff)
		}
	}
}

// TestReadRefuses names what is wrong with a server, in a sentence.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		`{}`:                                                                        "it needs command or url",
		`{"command": "x", "url": "http://x"}`:                                       "it needs one of them",
		`{"url": "ftp://x"}`:                                                        "must begin with http:// or https://",
		`{"url": "http://u:p@x"}`:                                                   "must not hold a user name",
		`{"url": "http://x", "args": ["a"]}`:                                        "are of a command",
		`{"url": "http://x", "type": "sse"}`:                                        "type sse is not supported",
		`{"url": "http://x", "headers": {"a b": "c"}}`:                              "is not a header",
		`{"command": "x", "type": "http"}`:                                          "does not go with command",
		`{"command": "x", "headers": {"A": "b"}}`:                                   "are of a url",
		`{"command": "x", "dir": "rel"}`:                                            "absolute",
		`{"command": "x", "env": {"a-b": "c"}}`:                                     "not the name of a variable",
		`{"command": "x\u0000"}`:                                                    "zero byte",
		`{"command": "x", "prefix": "1_"}`:                                          "cannot begin a tool's name",
		`{"command": "x", "allow": ["[a"]}`:                                         "is not a pattern",
		`{"command": "x", "deny": [""]}`:                                            "is not a pattern",
		`{"command": "x", "pin": "never"}`:                                          "first_use or review",
		`{"command": "x", "risk": "none"}`:                                          "risk is",
		`{"command": "x", "timeout_seconds": 99999}`:                                "timeout_seconds is",
		`{"command": "x", "max_result_bytes": -1}`:                                  "max_result_bytes is",
		`{"command": "x", "max_concurrent": 1e9}`:                                   "max_concurrent",
		`{"command": "x", "start_seconds": 1e9}`:                                    "start_seconds",
		`{"command": "x", "tools": {"a": {"confirmation": "x"}}}`:                   "tools.a: confirmation is",
		`{"command": "x", "tools": {"a": {"destructive": true, "mutates": false}}}`: "tools.a: a destructive tool mutates",
		`{"command": "x", "tools": {"a": {"scopes": {"hosts": ["a b"]}}}}`:          "tools.a: scopes:",
		`{"command": "x", "tools": {"a": {"riks": "low"}}}`:                         "tools/a/riks is not known",
		`{"command": 1}`:                                                            "command must not be a JSON",
		`{"command": "x", "command": "y"}`:                                          "duplicate",
	} {
		servers, problems, err := parse([]byte(`{"servers": {"s": `+entry+`, "ok": {"command": "x"}}}`), environment)
		if strings.Contains(want, "duplicate") { // no JSON object at all
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", entry, err, want)
			}
			continue
		}
		if err != nil || len(servers) != 1 || len(problems) == 0 || !strings.Contains(problems[0].Reason, want) {
			t.Errorf("%s: %d servers, %v, %v, want %q", entry, len(servers), problems, err, want)
		}
	}
	for text, want := range map[string]string{
		``: "it must be a JSON object like", `[]`: "it must be", `{"server": {}}`: "unknown",
		`{"servers": {}, "mcpServers": {}}`: "write all of them into one",
	} {
		if _, _, err := parse([]byte(text), environment); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, problems, _ := parse([]byte(`{"servers": {"a b": {"command": "x"}}}`), environment); len(problems) != 1 ||
		!strings.Contains(problems[0].Reason, "begin with a letter") {
		t.Errorf("a bad name is %v", problems)
	}
	if servers, problems, err := parse([]byte(`{}`), environment); err != nil || len(servers)+len(problems) != 0 {
		t.Errorf("no servers are %v, %v, %v", servers, problems, err)
	}
	if _, _, err := Read(t.TempDir(), environment); err == nil {
		t.Error("a directory was read")
	}
}

// TestOffers: what is denied is not offered, and with a list of what is allowed nothing else.
func TestOffers(t *testing.T) {
	t.Parallel()
	s := Server{Allow: []string{"get_*", "list"}, Deny: []string{"get_secret?"}}
	for name, want := range map[string]bool{"get_a": true, "list": true, "lists": false, "get_secrets": false, "put_a": false} {
		if got := s.offers(name); got != want {
			t.Errorf("offers(%s) = %v", name, got)
		}
	}
}
