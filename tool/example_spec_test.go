package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Declare what a tool needs and how far it may reach. Its call has the requested ports and no
// others, and a tool of high risk names its scopes: a person must approve each call.
func ExampleSpec() {
	type deployArgs struct {
		Service string `json:"service" doc:"Service to deploy." min:"1"`
	}
	set := tool.NewSet("Releases", "releases")
	deploy := tool.Add(set, tool.Spec[deployArgs, bool]{
		Name: "deploy_service", Description: "Deploy a service; returns true when it runs.",
		Risk: tool.High, Mutates: true, Timeout: 2 * time.Minute,
		Needs:     tool.NeedHTTP | tool.NeedSecrets,
		Scopes:    tool.Scopes{Hosts: []string{"deploy.example.com"}},
		OpenWorld: true,
		Run: func(_ context.Context, call *tool.Call, _ deployArgs) (bool, error) {
			return call.HTTP != nil && call.Files == nil, nil // the ports of Needs
		},
	})
	fmt.Println(deploy.Risk, deploy.Mutates, deploy.Timeout())
	fmt.Println(deploy.Scopes.Hosts, deploy.Needs.Has(tool.NeedHTTP), deploy.Needs.Has(tool.NeedFiles))
	// Output:
	// high true 2m0s
	// [deploy.example.com] true false
}

// Refuse a call before a person is asked to approve it, for reasons that no schema expresses.
func ExampleSpec_check() {
	type rangeArgs struct {
		From int `json:"from" doc:"First line."`
		To   int `json:"to" doc:"Last line."`
	}
	cut := tool.Add(tool.NewSet("Lines", "lines"), tool.Spec[rangeArgs, int]{
		Name: "cut_lines", Description: "Cut lines out of the text; returns their number.",
		Risk: tool.Medium, Mutates: true, Timeout: time.Second,
		Check: func(_ context.Context, _ *tool.Call, args rangeArgs) error {
			if args.To < args.From {
				return tool.Fail(tool.ValidationError, "to is %d and before from, which is %d; swap them", args.To, args.From)
			}
			return nil
		},
		Run: func(_ context.Context, _ *tool.Call, args rangeArgs) (int, error) {
			return args.To - args.From + 1, nil
		},
	})
	call, err := cut.Bind(json.RawMessage(`{"from": 9, "to": 3}`))
	if err == nil {
		err = call.Check(context.Background(), &tool.Call{})
	}
	fmt.Println(err)
	// Output: validation_error: to is 3 and before from, which is 9; swap them
}

// Decide by the arguments whether a call changes something: a call that only reads runs
// without an approval.
func ExampleSpec_reads() {
	type queryArgs struct {
		SQL string `json:"sql" doc:"One statement."`
	}
	query := tool.Add(tool.NewSet("Database", "database"), tool.Spec[queryArgs, string]{
		Name: "run_sql", Description: "Run a statement; returns its rows.",
		Risk: tool.Medium, Mutates: true, Timeout: time.Second,
		Reads: func(args queryArgs) bool { return strings.HasPrefix(args.SQL, "SELECT ") },
		Run:   func(context.Context, *tool.Call, queryArgs) (string, error) { return "", nil },
	})
	for _, args := range []string{`{"sql": "SELECT 1"}`, `{"sql": "DELETE FROM users"}`} {
		call, err := query.Bind(json.RawMessage(args))
		fmt.Println(args, "mutates:", call.Mutates, err)
	}
	// Output:
	// {"sql": "SELECT 1"} mutates: false <nil>
	// {"sql": "DELETE FROM users"} mutates: true <nil>
}

// Ask the person of the call: the call waits as stored data, and the answer is its result.
func ExampleSpec_question() {
	type pickArgs struct {
		Dates []string `json:"dates" doc:"Dates to choose from." min:"1"`
	}
	pick := tool.Add(tool.NewSet("Questions", "questions"), tool.Spec[pickArgs, json.RawMessage]{
		Name: "pick_date", Description: "Ask the person for a date; returns the chosen date.",
		Risk: tool.Low, Mutates: false, Timeout: time.Second,
		Question: func(args pickArgs) (tool.Question, error) {
			return tool.Question{
				Text:   "Which date suits you: " + strings.Join(args.Dates, " or ") + "?",
				Schema: json.RawMessage(`{"type":"object","properties":{"date":{"type":"string"}},"required":["date"]}`),
			}, nil
		},
	})
	call, err := pick.Bind(json.RawMessage(`{"dates": ["May 2", "May 9"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(call.Question.Text)
	// Output: Which date suits you: May 2 or May 9?
}
