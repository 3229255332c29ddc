package tools

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
	"github.com/helve-dev/helve/internal/test/testtime"
)

var callIDs = regexp.MustCompile(`[0-9a-f-]{36}`)

const (
	oldCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debug.echo","arguments":{"value":1}}}`
	newMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	newCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debug.echo","arguments":{"value":1},` + newMeta + `}}`
)

func newHead(more ...string) map[string]string {
	head := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "debug.echo"}
	for i := 0; i < len(more); i += 2 {
		head[more[i]] = more[i+1]
	}
	return head
}

// TestMCPBadRequests: each is answered immediately, with the reason, and none runs a tool.
func TestMCPBadRequests(t *testing.T) {
	t.Parallel()
	const ok = `"content":[{"type":"text","text":"1"}]`
	old := map[string]string{"Mcp-Protocol-Version": "2025-11-25"}
	for name, c := range map[string]struct {
		head   map[string]string
		body   string
		status int
		want   string
	}{
		"fine, new": {newHead(), newCall, 200, ok},
		"fine, old": {old, oldCall, 200, ok},
		// no session is kept, so none is missed
		"without initialisation": {map[string]string{"Mcp-Protocol-Version": "2025-06-18"}, oldCall, 200, ok},
		"without version":        {nil, oldCall, 200, ok},
		"unknown version":        {map[string]string{"Mcp-Protocol-Version": "2024-01-01"}, oldCall, 400, "supported versions"},
		"future version": {
			newHead("Mcp-Protocol-Version", "2099-01-01"), strings.Replace(newCall, "2026-07-28", "2099-01-01", 1), 400,
			"unsupported protocol version",
		},
		"version only in header": {newHead(), oldCall, 400, "protocolVersion"},
		"version only in body":   {nil, newCall, 400, "header"},
		"versions that differ":   {map[string]string{"Mcp-Protocol-Version": "2025-11-25"}, newCall, 400, "does not match"},
		"no capabilities": {
			newHead(), strings.Replace(newCall, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1), 400, "clientCapabilities",
		},
		"another method in head": {newHead("Mcp-Method", "tools/list"), newCall, 400, "Mcp-Method"},
		"another tool in head":   {newHead("Mcp-Name", "read_file"), newCall, 400, "Mcp-Name"},
		"initialize, new": {
			newHead("Mcp-Method", "initialize"), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + newMeta + `}}`, 404, "-32601",
		},
		"a batch":                 {old, "[" + oldCall + "," + oldCall + "]", 400, "batch"},
		"an empty body":           {old, "", 400, "empty"},
		"not JSON":                {old, `{"jsonrpc":`, 400, "malformed"},
		"not an object":           {old, `"tools/call"`, 400, "malformed"},
		"two values":              {old, oldCall + oldCall, 400, "malformed"},
		"not UTF-8":               {old, strings.Replace(oldCall, "1}}", "\"\xff\"}}", 1), 400, "UTF-8"},
		"no method":               {old, `{"jsonrpc":"2.0","id":1}`, 202, ""},
		"an unknown method":       {old, `{"jsonrpc":"2.0","id":1,"method":"tools/eat"}`, 200, "-32601"},
		"no parameters":           {old, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, 400, "params"},
		"no name":                 {old, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}`, 200, "error"},
		"a name that is a number": {old, strings.Replace(oldCall, `"debug.echo"`, "7", 1), 200, "error"},
		"arguments as a list":     {old, strings.Replace(oldCall, `{"value":1}`, "[1]", 1), 200, "validation_error"},
		"the same argument twice": {old, strings.Replace(oldCall, `{"value":1}`, `{"value":1,"value":2}`, 1), 200, "duplicate key"},
		"a very deep argument": {
			old, strings.Replace(oldCall, `"value":1`, `"value":`+strings.Repeat("[", 500)+strings.Repeat("]", 500), 1), 200, "validation_error",
		},
		"an id that is an object": {old, strings.Replace(oldCall, `"id":1`, `"id":{}`, 1), 400, ""},
		"another host":            {newHead("Host", "evil.example"), newCall, 403, "host"},
		"another origin":          {newHead("Origin", "https://evil.example"), newCall, 403, "origin"},
		"a form":                  {newHead("Content-Type", "application/x-www-form-urlencoded"), newCall, 415, "application/json"},
		"plain text":              {newHead("Content-Type", "text/plain"), newCall, 415, "application/json"},
		"no event streams":        {newHead("Accept", "application/json"), newCall, 400, "text/event-stream"},
		"an odd session":          {map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "../../x y"}, oldCall, 200, ok},
		"an odd tenant":           {newHead("Helve-Tenant", "a.b"), newCall, 400, "tenant"},
		"an odd priority, new": {
			newHead(), strings.Replace(newCall, `"_meta":{`, `"_meta":{"dev.helve/priority":"soon",`, 1), 400, "dev.helve/priority",
		},
		"an odd priority, old": {
			old, strings.Replace(oldCall, `"arguments"`, `"_meta":{"dev.helve/priority":7},"arguments"`, 1), 200, "dev.helve/priority",
		},
		"an odd user": {newHead("Helve-User", "a b>c"), newCall, 200, "user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := mcpclient.Post(t, mcpclient.Web(t, shared, nil), c.head, c.body)
			if got.Status != c.status || !strings.Contains(got.Body, c.want) {
				t.Errorf("answered %d %.300s, want %d with %q", got.Status, got.Body, c.status, c.want)
			}
			if c.want != ok && strings.Contains(got.Body, ok) {
				t.Errorf("the tool ran: %s", got.Body)
			}
		})
	}
	// Answers of the SDK and answers without it have the same form.
	long := mcpclient.Post(t, mcpclient.Web(t, shared, nil), newHead("Accept", "*/*"), newCall)
	short := mcpclient.Post(t, mcpclient.Web(t, shared, nil), newHead(), newCall)
	var by, without map[string]any
	for text, into := range map[string]*map[string]any{long.Body: &by, short.Body: &without} {
		if err := json.Unmarshal([]byte(callIDs.ReplaceAllString(text, "-")), into); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(by, without) {
		t.Errorf("the SDK answers %s, and without it the answer is %s", long.Body, short.Body)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		if got := mcpclient.Request(t, mcpclient.Web(t, shared, nil), method, old, ""); got.Status != 405 || got.Header.Get("Allow") != "POST" {
			t.Errorf("%s was answered %d %s", method, got.Status, got.Body)
		}
	}
}

// TestMCPLargeBody: a body is refused for its declared or its actual size.
func TestMCPLargeBody(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.HTTP.MaxBody = 64 << 10 }})
	for name, length := range map[string]int64{"said": 1 << 20, "unsaid": -1} {
		body := strings.Replace(newCall, `"value":1`, `"value":"`+strings.Repeat("x", 1<<20)+`"`, 1)
		req, err := http.NewRequestWithContext(system.Context(t), http.MethodPost, s.URLs[0]+"/mcp", io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		if length > 0 {
			req.ContentLength = int64(len(body))
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := s.Client.Do(req)
		if err != nil {
			continue // the server closed the connection, which is an answer too
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: answered %d", name, resp.StatusCode)
		}
	}
}

// TestMCPGoneInTheMiddle: a client that disconnects while it sends leaves no goroutine;
// goleak, at the end of all tests, would find it.
func TestMCPGoneInTheMiddle(t *testing.T) {
	t.Parallel()
	addr := strings.TrimPrefix(shared.URLs[0], "http://")
	for range 20 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(testtime.Patience())); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn,
			"POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, "+
				"text/event-stream\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\":",
			addr)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			if resp.Body.Close(); resp.StatusCode != http.StatusBadRequest {
				t.Errorf("half a request was answered %d", resp.StatusCode)
			}
		}
		conn.Close()
	}
}
