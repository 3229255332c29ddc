package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Collect the tools of a category, and run them in a pool of workers of their own.
func ExampleSet_In() {
	set := tool.NewSet("Pictures", "pictures")
	for _, name := range []string{"rotate_picture", "crop_picture"} {
		tool.Add(set, tool.Spec[struct{}, bool]{
			Name: name, Description: "Change the picture; returns true.",
			Risk: tool.Low, Mutates: true, Timeout: time.Minute,
			Run: func(context.Context, *tool.Call, struct{}) (bool, error) { return true, nil },
		})
	}
	for _, t := range set.In("gpu").Tools() {
		fmt.Println(t.Name, t.Group, t.Pool)
	}
	// Output:
	// crop_picture pictures gpu
	// rotate_picture pictures gpu
}

// Make a tool of a definition that is only known at run time, such as an entry of a file.
func ExampleNew() {
	def := tool.Definition{
		Name: "echo", Description: "Return the arguments.", Category: "Echo", Group: "echo", Version: "1",
		Parameters: json.RawMessage(`{"type":"object"}`),
		Risk:       tool.Low, Confirmation: tool.ConfirmIfDestructive, TimeoutSeconds: 1,
		Pool: "default", Kind: tool.KindBuiltin, Enabled: true,
	}
	echo, err := tool.New(def, 0, func(_ context.Context, _ *tool.Call, args json.RawMessage) (tool.Result, error) {
		return tool.Result{Value: args}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	call, err := echo.Bind(json.RawMessage(`{"n": 1}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := call.Run(context.Background(), &tool.Call{})
	fmt.Println(string(res.Value), err)
	// Output: {"n": 1} <nil>
}

// Bound and count all calls of a worker in one place. A worker program passes it as
// worker.Program.Middleware.
func ExampleMiddleware() {
	office := tool.Middleware{
		Name: "office hours",
		Before: func(_ context.Context, call *tool.Call, _ json.RawMessage) (json.RawMessage, error) {
			if call.User == "" {
				return nil, tool.Fail(tool.PermissionDenied, "%s needs a user; name one in the context", call.Tool)
			}
			return nil, nil // the arguments stay as they are
		},
	}
	_, err := office.Before(context.Background(), &tool.Call{Tool: "echo"}, nil)
	fmt.Println(err)
	_, err = office.Before(context.Background(), &tool.Call{Tool: "echo", User: "ada"}, nil)
	fmt.Println(err)
	// Output:
	// permission_denied: echo needs a user; name one in the context
	// <nil>
}

// Check a name before a tool is made of it.
func ExampleValidName() {
	for _, name := range []string{"read_file", "crm.find_customer", "read-file", "2fa"} {
		fmt.Println(name, tool.ValidName(name))
	}
	// Output:
	// read_file true
	// crm.find_customer true
	// read-file false
	// 2fa false
}
