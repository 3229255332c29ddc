package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestExact: structured content passes the SDK unchanged.
func TestExact(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{`{"id":9007199254740993,"x":1.10}`, `"text"`, `"{}"`, `[1e2]`, `null`, `0`} {
		msg, err := jsonrpc.DecodeMessage([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":` + sent + `,"isError":true}}`))
		if err != nil {
			t.Fatal(err)
		}
		answer, ok := Exact(msg).(*jsonrpc.Response)
		var res mcp.CallToolResult
		if !ok || json.Unmarshal(answer.Result, &res) != nil {
			t.Fatalf("%s became %s", sent, answer.Result)
		}
		if got := string(Structured(res.StructuredContent)); got != sent || !res.IsError {
			t.Errorf("%s came out as %s", sent, got)
		}
	}
	if got := Structured(nil); got != nil {
		t.Errorf("no content came out as %s", got)
	}
	if got := string(Structured(map[string]any{"a": 1})); got != `{"a":1}` {
		t.Errorf("content that was not moved came out as %s", got)
	}
}

// TestIDOf: the call that a long message answers is found from the message's ends, and an
// id inside the answer is not mistaken for it.
func TestIDOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		head, tail string
		want       any
	}{
		{`{"jsonrpc":"2.0","id":7,"result":{"id":8`, `"id":9}}}`, int64(7)},
		{`{"id": 7, "result": `, ``, int64(7)},
		{`{"result":{"id":8,`, `"}]},"jsonrpc":"2.0","id":7}`, int64(7)},
		{`{"result":{"id":8,`, `"}]},"id":7,"jsonrpc":"2.0"}` + " ", int64(7)},
		{`{"result":{"id":8,`, `{"id":7}}}`, nil},
		{`{"result":{"id":8,`, `"id":"7"}`, nil},
		{`[`, `]`, nil},
	} {
		id, ok := idOf([]byte(tt.head), []byte(tt.tail))
		if ok != (tt.want != nil) || id.Raw() != tt.want {
			t.Errorf("idOf(%s … %s) = %v, %v, want %v", tt.head, tt.tail, id.Raw(), ok, tt.want)
		}
	}
}

// TestEvents: in a stream, a bad message is replaced by an answer to its call, and messages
// that are not used are skipped.
func TestEvents(t *testing.T) {
	t.Parallel()
	id, err := jsonrpc.MakeID(float64(3))
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"event: message\nid: 1\nretry: 5\n: note\n\n":                                 "event: message\nid: 1\nretry: 5\n: note\n\n",
		`data: {"jsonrpc":"2.0","id":3,"result":{}}` + "\n\n":                         `data:{"jsonrpc":"2.0","id":3,"result":{}}` + "\n\n",
		`data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}` + "\n": ": left out\n",
		"data:\n":       ": left out\n",
		"data: {oops\n": `data:{"jsonrpc":"2.0","id":3,"error":{"code":-32999,"message":"it sent a line that is no message"}}` + "\n\n",
		"data: " + strings.Repeat("x", 300) + "\n":  `data:{"jsonrpc":"2.0","id":3,"error":{"code":-32999,"message":"it answered with 306 bytes, at most 100 are taken"}}` + "\n\n",
		"other: " + strings.Repeat("x", 300) + "\n": "other: " + strings.Repeat("x", ends-7) + "\n",
	} {
		h := &HTTP{Longest: 100, Odd: func(string) {}}
		e := &events{h: h, lines: newLines(strings.NewReader(in), 100), throttle: newThrottle(), ctx: t.Context(), id: id, called: true}
		var got strings.Builder
		p := make([]byte, 7)
		for {
			n, err := e.Read(p)
			got.Write(p[:n])
			if err != nil {
				break
			}
		}
		if got.String() != want {
			t.Errorf("%.80q came through as %q, want %q", in, got.String(), want)
		}
	}
}
