package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// stdioClient connects the SDK's client to `helve mcp` through its standard input and
// output.
func stdioClient(t *testing.T, version string, o *mcp.ClientOptions, args ...string) *mcp.ClientSession {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	var complaints bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(context.WithoutCancel(t.Context()), append([]string{"mcp"}, args...), theirIn, theirOut, &complaints)
		_ = theirOut.Close()
	}()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	in, out := mcpclient.NewWatch(t).Lines(ourIn, ourOut)
	session, err := c.Connect(system.Context(t), &mcp.IOTransport{Reader: in, Writer: out},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		system.Await(t, "the MCP session is closed", func() { _ = session.Close() })
		if code := system.Receive(t, "helve mcp has ended", ended); code != 0 {
			t.Errorf("helve mcp = %d, said %s", code, complaints.String())
		}
	})
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the version %s was agreed on, want %s", got, version)
	}
	return session
}

// TestMCPStdio: in every version a client of `helve mcp` can list, call, and be asked, over
// each connection of the command to the server.
func TestMCPStdio(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]string{"http": shared.URLs[0], "nats": shared.Config.NATS.URL} {
		t.Run(name, func(t *testing.T) {
			mcpclient.EveryVersion(t, func(t *testing.T, version string) {
				tenant, p := system.NewTenant(), &mcpclient.Person{Action: "accept", Remember: "once"}
				// By default no agent has the tool that asks.
				if r := shared.HTTP(0).Ask(t, tenant, "agents.put", map[string]string{"agent": "a1"},
					`{"tools": ["calculate", "debug.guarded"], "groups": []}`); r.Status != 200 {
					t.Fatalf("agents.put = %d %s", r.Status, r.Body)
				}
				system.Eventually(t, "the other dispatcher knows the agent", func() bool {
					return len(system.Decode[struct{ Tools []any }](t,
						shared.HTTP(1).Ask(t, tenant, "tools.list", map[string]string{"agent": "a1"}, "")).Tools) == 2
				})
				c := stdioClient(t, version, p.Options(), "--server", server, "--tenant", tenant, "--user", "u1", "--agent", "a1")
				if res, _ := mcpclient.Call(t, c, "calculate", json.RawMessage(`{"expression":"6*7"}`)); res.StructuredContent == nil {
					t.Error("a client that did not list the tools gets no structured result")
				}
				n := 0
				for _, err := range c.Tools(system.Context(t), nil) {
					if err != nil {
						t.Fatal(err)
					}
					n++
				}
				res, text := mcpclient.Call(t, c, "calculate", json.RawMessage(`{"expression":"6*7"}`))
				if n != 2 || res.IsError || !strings.Contains(text, "42") || res.StructuredContent == nil {
					t.Errorf("of %d tools, calculate ended as %s, structured %v", n, text, res.StructuredContent)
				}
				if res, text := mcpclient.Call(t, c, "debug.guarded", json.RawMessage(`{"key":"k"}`)); res.IsError || !strings.Contains(text, "true") {
					t.Errorf("the granted call ended as %s", text)
				}
				if q := p.Asked.Load(); p.Times.Load() != 1 || !strings.Contains(q.Message, "debug.guarded") {
					t.Errorf("the person was asked %d times: %+v", p.Times.Load(), q)
				}
				id := ""
				for _, rec := range system.CallRecords(t, shared.HTTP(0), tenant, "") {
					if rec.Phase == "consent_decided" {
						id = rec.By
					}
				}
				if id != "u1" {
					t.Errorf("the trail says %q decided, want the person", id)
				}
			})
		})
	}
}

// TestMCPStdioSteps: a call that a client cancels ends on the worker, and a tool's progress
// is passed on.
func TestMCPStdioSteps(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		tenant := system.NewTenant()
		events := shared.Listen(t, tenant)
		c := stdioClient(t, version, nil, "--server", shared.URLs[1], "--tenant", tenant, "--user", "u1")
		cancelInTheMiddle(t, c, tenant, events)
	})
}

func TestMCPStdioRefuses(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"tools":      {"--tools", "some"},
		"task after": {"--task-after", "0s"},
		"arguments":  {"serve"},
	} {
		if code, _, said := system.Command(t, strings.NewReader(""), append([]string{"mcp"}, args...)...); code != 2 || said == "" {
			t.Errorf("%s: helve mcp = %d, said %s", name, code, said)
		}
	}
}

// TestMCPStdioOfAPipe: a client that writes its requests and closes its output, as a
// shell's pipe does, still gets its answers; a request for consent gets none, and nothing
// hangs.
func TestMCPStdioOfAPipe(t *testing.T) {
	t.Parallel()
	const (
		now   = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
		hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"t","version":"1"},"capabilities":{"elicitation":{}}}}` +
			"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
		slow = `"name":"debug.sleep","arguments":{"ms":300}`
	)
	for name, tt := range map[string]struct{ in, want string }{
		"2026-07-28": {`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{` + slow + `,` + now + `}}`, `slept_ms`},
		"2025-06-18": {hello + `{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{` + slow + "}}\n", `slept_ms`},
		"a person is to be asked": {
			hello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debug.guarded","arguments":{"key":"k"}}}` + "\n",
			`elicitation/create`,
		},
		"a request given up": {hello +
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debug.sleep","arguments":{"ms":60000}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n", `"id":0`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"mcp", "--server", shared.URLs[0], "--tenant", system.NewTenant(), "--user", "u1"}
			code, out, complaints := system.Command(t, strings.NewReader(tt.in), args...)
			if code != 0 || !strings.Contains(out, tt.want) {
				t.Errorf("helve mcp = %d, want %s; wrote %s, said %s", code, tt.want, out, complaints)
			}
		})
	}
}

// TestMCPStdioToolset: the command offers a tool set and is bound to it; with --tools
// discovery a tool that is not listed can be called, and its result keeps its structure.
func TestMCPStdioToolset(t *testing.T) {
	t.Parallel()
	connect := func(args ...string) *mcp.ClientSession {
		return stdioClient(t, mcpclient.Versions[0], nil, append(args, "--server", shared.URLs[0], "--tenant", system.NewTenant(), "--user", "u1")...)
	}
	calculate := json.RawMessage(`{"expression":"6*7"}`)
	c := connect("--toolset", "search")
	page, err := c.ListTools(system.Context(t), nil)
	if err != nil || page.NextCursor != "" || len(page.Tools) < len(metaTools) || page.Tools[0].Name != metaTools[0] {
		t.Errorf("the set search lists %+v, %v", page, err)
	}
	if res, text := mcpclient.Call(t, c, "calculate", calculate); !res.IsError || !strings.Contains(text, "not in the tool set 'search'") {
		t.Errorf("a call outside the set = %s", text)
	}
	c = connect("--tools", "discovery")
	if page, err := c.ListTools(system.Context(t), nil); err != nil || len(page.Tools) > len(metaTools)+len(laterOnes) {
		t.Errorf("discovery lists %+v, %v", page, err)
	}
	if res, text := mcpclient.Call(t, c, "calculate", calculate); res.IsError || res.StructuredContent == nil {
		t.Errorf("a call of a tool that is not listed = %s, structured %v", text, res.StructuredContent)
	}
	for _, args := range [][]string{{"mcp", "--tools", "discovery", "--toolset", "code"}, {"mcp", "--tools", "code"}} {
		if code, _, said := system.Command(t, nil, args...); code != 2 || !strings.Contains(said, "--toolset") && !strings.Contains(said, "not known") {
			t.Errorf("%q = %d, said %q", args, code, said)
		}
	}
	code, out, said := system.Command(t, nil, "call", "debug.echo", "value=1", "--toolset", "code", "--server", shared.URLs[1])
	if code != 1 || !strings.Contains(said, "not in the tool set 'code'") {
		t.Errorf("helve call = %d %q, said %q", code, out, said)
	}
	code, out, said = system.Command(t, nil, "tools", "--toolset", "code", "--server", shared.URLs[1])
	if code != 0 || !strings.Contains(out, "search_tools") || strings.Contains(out, "read_file") {
		t.Errorf("helve tools = %d %q, said %q", code, out, said)
	}
}
