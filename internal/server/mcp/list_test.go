package mcp

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/server/mcp/published"
	"github.com/helve-dev/helve/tool"
)

// TestDefine: whatever schemas a tool has, its definition fits every version of the
// protocol: a definition that does not makes clients refuse the whole list.
func TestDefine(t *testing.T) {
	t.Parallel()
	schemas := map[string]string{
		``: `{"type":"object","properties":{}}`, `true`: `{"type":"object","properties":{}}`, `[]`: `{"type":"object","properties":{}}`,
		`{}`: `{"type":"object"}`, `{"type":"object"}`: `{"type":"object"}`,
		`{"type":"object","properties":{"v":true,"w":false,"x":null}}`: `{"type":"object","properties":{"v":{},"w":{"not":{}},"x":{}}}`,

		`{"properties":{"a":{"type":"object","properties":{"b":true},"additionalProperties":false}}}`: `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}},"additionalProperties":false}}}`,

		`{"type":["object","null"],"properties":true,"required":null}`:              `{"type":"object"}`,
		`{"type":"object","required":[1,"a"]}`:                                      `{"type":"object"}`,
		`{"$ref":"#/$defs/R","$defs":{"R":{"type":"object"},"any":true}}`:           `{"type":"object","$ref":"#/$defs/R","$defs":{"R":{"type":"object"},"any":{}}}`,
		`{"type":"object","$schema":7,"$id":"x","anyOf":[true,{"required":["a"]}]}`: `{"type":"object","anyOf":[true,{"required":["a"]}]}`,

		`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}`: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`,

		`{"type":"object","dependencies":{"a":["b"],"c":true}}`: `{"type":"object","dependencies":{"a":["b"],"c":{}}}`,
	}
	for schema, want := range schemas {
		for _, result := range []string{``, schema, `{"type":"object","properties":{"v":true}}`} {
			def := &tool.Definition{Name: "a.b", Description: "d", Parameters: json.RawMessage(schema), ResultSchema: json.RawMessage(result)}
			listed := define(def)
			if got := string(listed.InputSchema.(json.RawMessage)); got != want {
				t.Errorf("the schema %s is listed as %s, want %s", schema, got, want)
			}
			answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]any{
				"tools": []*sdk.Tool{listed}, "ttlMs": 1, "cacheScope": "private", "resultType": "complete",
			}})
			if err != nil {
				t.Fatal(err)
			}
			for _, version := range Versions() {
				if err := published.Check(version, "tools/list", answer); err != nil {
					t.Errorf("%s with the result %s in %s: %v", schema, result, version, err)
				}
			}
		}
	}
}
