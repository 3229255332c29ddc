package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type greetArgs struct {
	Name  string `json:"name" doc:"Whom to greet." min:"1"`
	Times int    `json:"times" doc:"How often." default:"1" min:"1" max:"3"`
}

// Set would be below the package comment; each file of the package adds a tool.
var Set = tool.NewSet("Greetings", "greetings")

var greet = tool.Add(Set, tool.Spec[greetArgs, string]{
	Name:        "greet",
	Description: "Greet somebody by name; returns the greeting.",
	Risk:        tool.Low,
	Mutates:     false,
	Timeout:     time.Second,
	Run: func(_ context.Context, call *tool.Call, args greetArgs) (string, error) {
		call.Log("greeting " + args.Name)
		return strings.TrimSpace(strings.Repeat("Hello, "+args.Name+"! ", args.Times)), nil
	},
})

// A tool is written as one value. Its argument type is its schema, and the
// engine runs it once the arguments are valid.
func ExampleAdd() {
	fmt.Println(string(greet.Parameters))

	call, err := greet.Bind(json.RawMessage(`{"name": "Ada", "times": 2}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := call.Run(context.Background(), &tool.Call{ID: "c1", Tenant: "default"})
	fmt.Println(string(res.Value), err)
	// Output:
	// {"type":"object","properties":{"name":{"type":"string","description":"Whom to greet.","minLength":1},"times":{"type":"integer","description":"How often.","minimum":1,"maximum":3,"default":1}},"required":["name"]}
	// "Hello, Ada! Hello, Ada!" <nil>
}
