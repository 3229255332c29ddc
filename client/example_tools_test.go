package client_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/client"
)

const readFile = `{"name": "read_file", "description": "Read a file.", "category": "File System", "group": "filesystem",
	"version": "1", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
	"risk": "low", "confirmation": "if_destructive", "mutates": false, "timeout_seconds": 10, "pool": "default",
	"kind": "builtin", "enabled": true}`

// List the tools that an agent may use, those that match some words.
func ExampleClient_Tools() {
	srv := routes{"GET /v1/tools": `{"tools": [` + readFile + `]}`}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	tools, err := c.Tools(context.Background(), client.Filter{Agent: "notes", Query: "read file"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range tools {
		fmt.Println(t.Name, t.Risk, t.Timeout(), t.Description)
	}
	// Output: read_file low 10s Read a file.
}

// Look up one tool, and its parameters.
func ExampleClient_Tool() {
	srv := routes{"GET /v1/tools/read_file": readFile}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	def, err := c.Tool(context.Background(), "read_file")
	fmt.Println(def.Group, string(def.Parameters), err)
	// Output:
	// filesystem {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]} <nil>
}

// Offer the tools to a model: the list is the tools member of its provider's request.
func ExampleClient_ToolsAs() {
	srv := routes{"GET /v1/tools": `{"tools": [{"type": "function", "function": {"name": "read_file", "parameters": {}}}]}`}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	tools, err := c.ToolsAs(context.Background(), "openai", client.Filter{})
	fmt.Println(string(tools), err)
	// Output:
	// [{"type": "function", "function": {"name": "read_file", "parameters": {}}}] <nil>
}

// Run the calls of a model's own message, and get the messages to append to the
// conversation.
func ExampleRequest_message() {
	srv := routes{"POST /v1/execute": `{
		"results": [{"call_id": "m-0", "tool_call_id": "call_1", "tool": "add", "status": "success", "result": 5}],
		"messages": [{"role": "tool", "tool_call_id": "call_1", "content": "{\"status\":\"success\",\"result\":5}"}]}`}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	message := json.RawMessage(`{"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function",
		"function": {"name": "add", "arguments": "{\"a\": 2, \"b\": 3}"}}]}`)
	resp, err := c.Execute(context.Background(), client.Request{Format: "openai", Message: message, CallIDPrefix: "m"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(resp.Messages))
	// Output:
	// [{"role": "tool", "tool_call_id": "call_1", "content": "{\"status\":\"success\",\"result\":5}"}]
}
