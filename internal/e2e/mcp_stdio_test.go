package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/cli"
)

// stdioClient connects the SDK's client to `helve mcp` by its standard input and
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
	session, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: ourIn, Writer: ourOut}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if code := <-ended; code != 0 {
			t.Errorf("helve mcp = %d, said %s", code, complaints.String())
		}
	})
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the version %s was agreed on, want %s", got, version)
	}
	return session
}

// TestMCPStdio: in every version a client of `helve mcp` can list, call, and be asked,
// whichever way the command reaches the server.
func TestMCPStdio(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]string{"http": shared.urls[0], "nats": shared.cfg.NATS.URL} {
		t.Run(name, func(t *testing.T) {
			everyVersion(t, func(t *testing.T, version string) {
				tenant, p := newTenant(), &person{action: "accept", remember: "once"}
				// By default no agent has the tool that asks.
				if r := shared.http(0).ask(t, tenant, "agents.put", map[string]string{"agent": "a1"}, `{"tools": ["calculate", "debug.guarded"], "groups": []}`); r.status != 200 {
					t.Fatalf("agents.put = %d %s", r.status, r.body)
				}
				eventually(t, "the other dispatcher knows the agent", func() bool {
					return len(decode[struct{ Tools []any }](t, shared.http(1).ask(t, tenant, "tools.list", map[string]string{"agent": "a1"}, "")).Tools) == 2
				})
				c := stdioClient(t, version, p.options(), "--server", server, "--tenant", tenant, "--user", "u1", "--agent", "a1")
				if res, _ := called(t, c, "calculate", json.RawMessage(`{"expression":"6*7"}`)); res.StructuredContent == nil {
					t.Error("a client that did not list the tools gets no structured result")
				}
				n := 0
				for _, err := range c.Tools(t.Context(), nil) {
					if err != nil {
						t.Fatal(err)
					}
					n++
				}
				res, text := called(t, c, "calculate", json.RawMessage(`{"expression":"6*7"}`))
				if n != 2 || res.IsError || !strings.Contains(text, "42") || res.StructuredContent == nil {
					t.Errorf("of %d tools, calculate ended as %s, structured %v", n, text, res.StructuredContent)
				}
				if res, text := called(t, c, "debug.guarded", json.RawMessage(`{"key":"k"}`)); res.IsError || !strings.Contains(text, "true") {
					t.Errorf("the granted call ended as %s", text)
				}
				if q := p.asked.Load(); p.times.Load() != 1 || !strings.Contains(q.Message, "debug.guarded") {
					t.Errorf("the person was asked %d times: %+v", p.times.Load(), q)
				}
				id := ""
				for _, rec := range story(t, shared.http(0), tenant, "") {
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

// What a client gives up ends on the worker, and a tool's reports come through.
func TestMCPStdioSteps(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, version string) {
		tenant := newTenant()
		events := shared.listen(t, tenant)
		c := stdioClient(t, version, nil, "--server", shared.urls[1], "--tenant", tenant, "--user", "u1")
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
		var said bytes.Buffer
		if code := cli.Run(t.Context(), append([]string{"mcp"}, args...), strings.NewReader(""), io.Discard, &said); code != 2 || said.Len() == 0 {
			t.Errorf("%s: helve mcp = %d, said %s", name, code, said.String())
		}
	}
}

// TestMCPStdioOfAPipe: who writes its requests and is done, as a shell's pipe is, still
// gets its answers; who would have to be asked gets none, and nothing hangs.
func TestMCPStdioOfAPipe(t *testing.T) {
	t.Parallel()
	const (
		now   = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
		hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"t","version":"1"},"capabilities":{"elicitation":{}}}}` +
			"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
		slow = `"name":"debug.sleep","arguments":{"ms":300}`
	)
	for name, tt := range map[string]struct{ in, want string }{
		"2026-07-28":              {`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{` + slow + `,` + now + `}}`, `slept_ms`},
		"2025-06-18":              {hello + `{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{` + slow + "}}\n", `slept_ms`},
		"a person is to be asked": {hello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debug.guarded","arguments":{"key":"k"}}}` + "\n", `elicitation/create`},
		"a request given up": {hello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debug.sleep","arguments":{"ms":60000}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n", `"id":0`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, complaints bytes.Buffer
			args := []string{"mcp", "--server", shared.urls[0], "--tenant", newTenant(), "--user", "u1"}
			code := cli.Run(t.Context(), args, strings.NewReader(tt.in), &out, &complaints)
			if code != 0 || !strings.Contains(out.String(), tt.want) {
				t.Errorf("helve mcp = %d, want %s; wrote %s, said %s", code, tt.want, out.String(), complaints.String())
			}
		})
	}
}
