package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type routeArgs struct {
	To string `json:"to" doc:"Destination."`
}

// route is the result of the tool plan_route.
type route struct {
	DistanceKM  tool.Number `json:"distance_km" doc:"Distance in kilometres."`
	DurationMin int         `json:"duration_min" doc:"Duration in minutes." min:"0"`
}

// Present writes the text that a model reads in place of the value.
func (r route) Present(res *tool.Result) {
	res.Text = fmt.Sprintf("%s km in %d minutes", r.DistanceKM, r.DurationMin)
}

var planRoute = tool.Add(tool.NewSet("Routes", "routes"), tool.Spec[routeArgs, route]{
	Name: "plan_route", Description: "Plan a route; returns its distance in km and its duration in minutes.",
	Risk: tool.Low, Mutates: false, Timeout: time.Second,
	Run: func(_ context.Context, call *tool.Call, _ routeArgs) (route, error) {
		call.Progress(map[string]int{"percent": 50})
		call.Note("Traffic is not considered.")
		call.Spend(tool.Usage{Service: "router", Model: "fast-1", Input: 120, Output: 30})
		return route{DistanceKM: "12.50", DurationMin: 17}, nil
	},
})

// plan runs plan_route.
func plan(call *tool.Call) (tool.Result, error) {
	bound, err := planRoute.Bind(json.RawMessage(`{"to": "Delft"}`))
	if err != nil {
		return tool.Result{}, err
	}
	return bound.Run(context.Background(), call)
}

// Name the units of a result in its fields, and describe them in its schema: models and
// programs read both. A Number keeps every digit.
func ExampleSpec_result() {
	res, err := plan(&tool.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(res.Value))
	var schema struct{ Properties map[string]json.RawMessage }
	fmt.Println(json.Unmarshal(planRoute.ResultSchema, &schema), string(schema.Properties["duration_min"]))
	// Output:
	// {"distance_km":12.50,"duration_min":17}
	// <nil> {"type":"integer","description":"Duration in minutes.","minimum":0}
}

// Give a result a text of its own: the model reads it, programs get the value.
func ExamplePresenter() {
	res, err := plan(&tool.Call{})
	fmt.Println(res.Text, err)
	// Output: 12.50 km in 17 minutes <nil>
}

// Tell the model a fact beside the result, such as that something was left out.
func ExampleCall_Note() {
	res, err := plan(&tool.Call{})
	fmt.Println(res.Notes, err)
	// Output: [Traffic is not considered.] <nil>
}

// Report the tokens that a request to a model cost; the caller gets their sum.
func ExampleCall_Spend() {
	res, err := plan(&tool.Call{})
	fmt.Println(res.Metadata["usage"], err)
	// Output: map[input_tokens:120 model:fast-1 output_tokens:30] <nil>
}

// printer prints the events of a call.
type printer struct{}

func (printer) Emit(kind string, data any) { fmt.Println(kind, data) }

// Report progress while a tool works. Front ends receive it as an event.
func ExampleCall_Progress() {
	_, err := plan(&tool.Call{Events: printer{}})
	fmt.Println(err)
	// Output:
	// progress map[percent:50]
	// <nil>
}
