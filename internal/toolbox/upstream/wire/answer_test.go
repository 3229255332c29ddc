package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestExact: structured content passes the SDK unchanged.
func TestExact(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{`{"id":9007199254740993,"x":1.10}`, `"text"`, `"{}"`, `[1e2]`, `null`, `0`} {
		msg, err := jsonrpc.DecodeMessage(
			[]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":` + sent + `,"isError":true}}`),
		)
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
	const result = `{"jsonrpc":"2.0","id":3,"result":{}}`
	bad := func(code int, why string) string {
		return fmt.Sprintf(`data: {"jsonrpc":"2.0","id":3,"error":{"code":%d,"message":%q}}`, code, why) + "\n\n"
	}
	for in, want := range map[string]string{
		"event: message\nid: 1\nretry: 5\n: note\n\n":                                 "id: 1\nretry: 5\n\n",
		"data: " + result + "\n\n":                                                    "data: " + result + "\n\n",
		"\ufeffdata: {\"jsonrpc\":\"2.0\",\rdata: \"id\":3,\rdata:\"result\":{}}\r\r": "data: " + result + "\n\n",
		"id: 1\r\ndata: " + result + "\r\n\r\nid: 1\r\n\r\n":                          "id: 1\ndata: " + result + "\n\n",
		"data: " + result:              "data: " + result + "\n\n",
		"event: ping\ndata: {oops\n\n": "",
		`data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}` + "\n\n": "",
		`data: {"jsonrpc":"2.0","id":3,"error":{"code":-32997,"message":"m"}}` + "\n\n": bad(-32603, "m"),
		"data:\n\n":       "",
		"data: {oops\n\n": bad(CodeUnread, "it sent a line that is no message"),
		"data: " + strings.Repeat("x", 300) + "\n\n":                  bad(CodeTooLong, "it answered with 300 bytes, at most 100 are taken"),
		"data: {\"id\":3,\ndata:" + strings.Repeat("x", 300) + "\n\n": bad(CodeTooLong, "it answered with 309 bytes, at most 100 are taken"),
		"other: " + strings.Repeat("x", 300) + "\n\n":                 "",
	} {
		h := &HTTP{Longest: 100, Odd: func(string) {}}
		e := h.events(t.Context(), strings.NewReader(in), sent{id: id, called: true}, false)
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
