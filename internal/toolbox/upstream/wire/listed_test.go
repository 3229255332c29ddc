package wire

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestListed: a tool that cannot be read does not affect the other tools of its list.
func TestListed(t *testing.T) {
	t.Parallel()
	const good = `{"name":"good","inputSchema":{"type":"object"},"_meta":{"n":9007199254740993}}`
	for bad, name := range map[string]string{
		`{"name":7,"inputSchema":{}}`:          "tool 1 of the list",
		`"text"`:                               "tool 1 of the list",
		`null`:                                 "tool 1 of the list",
		`{"name":"odd","description":{"a":1}}`: "odd",
		`{"name":"odd","annotations":{"readOnlyHint":"perhaps"}}`: "odd",
	} {
		msg, err := jsonrpc.DecodeMessage([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + bad + `,` + good + `],"nextCursor":"c"}}`))
		if err != nil {
			t.Fatal(err)
		}
		answer, ok := Listed(msg).(*jsonrpc.Response)
		var list mcp.ListToolsResult
		if !ok {
			t.Fatalf("%s: the answer became %T", bad, answer)
		}
		if err := json.Unmarshal(answer.Result, &list); err != nil || len(list.Tools) != 2 || list.NextCursor != "c" {
			t.Fatalf("%s: the list is %s, %v", bad, answer.Result, err)
		}
		if list.Tools[0].Name != name || list.Tools[0].Meta[Unreadable] == nil || list.Tools[1].Name != "good" ||
			list.Tools[1].Meta[Unreadable] != nil {
			t.Errorf("%s: the list is %s; want a placeholder named %q, and the good tool", bad, answer.Result, name)
		}
	}
}

func TestListedLeavesOthers(t *testing.T) {
	t.Parallel()
	for _, result := range []string{
		`{"tools":[{"name":"a","inputSchema":{}}]}`, `{"content":[],"tools":[1]}`, `{"tools":7}`, `{"a":"\"tools\""}`,
	} {
		msg, err := jsonrpc.DecodeMessage([]byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if answer, ok := Listed(msg).(*jsonrpc.Response); !ok || string(answer.Result) != result {
			t.Errorf("%s became %s", result, answer.Result)
		}
	}
}
