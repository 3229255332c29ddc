package system

import (
	"encoding/json"
	"fmt"
	"testing"
)

// CustomTool holds the arguments of create_tool.
type CustomTool struct {
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Parameters  string              `json:"parameters"`
	Code        string              `json:"code"`
	Permissions []string            `json:"permissions,omitempty"`
	Hosts       []string            `json:"hosts,omitempty"`
	Keys        []map[string]string `json:"required_api_keys,omitempty"`
}

// CreateCall returns the call of create_tool that makes the tool.
func (c CustomTool) CreateCall(t testing.TB) string {
	t.Helper()
	if c.Description == "" {
		c.Description = "A tool of a test."
	}
	if c.Parameters == "" {
		c.Parameters = anyObject
	}
	raw, err := json.Marshal(map[string]any{"tool": "create_tool", "arguments": c})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const anyObject = `{"type":"object","properties":{"url":{"type":"string"},"tool":{"type":"string"},"args":{"type":"object"}}}`

// CreateTool requests a custom tool, grants consent, and waits until it exists.
func CreateTool(t testing.TB, s *System, tenant string, c CustomTool) {
	t.Helper()
	CreateToolBy(t, s.HTTP(0), tenant, c)
}

// CreateToolBy is CreateTool at the door of the person whose tool it is, u1.
func CreateToolBy(t testing.TB, d Door, tenant string, c CustomTool) {
	t.Helper()
	e := Park(t, d, tenant, c.CreateCall(t))
	Grant(t, d, tenant, e.ConsentID)
	done := Settled(t, d, tenant, e.CallID)
	if done.Status != "success" {
		t.Fatalf("create_tool ended %v", done)
	}
}

// UseTool calls a tool until dispatchers and workers know it.
func UseTool(t testing.TB, d Door, tenant, tool, args string) Element {
	t.Helper()
	var e Element
	Eventually(t, tool+" is known", func() bool {
		e = Execute(t, d, tenant, AsUser(30000, fmt.Sprintf(`{"tool": %q, "arguments": %s}`, tool, args))).Results[0]
		return e.ErrorType != "tool_not_found"
	})
	return e
}
