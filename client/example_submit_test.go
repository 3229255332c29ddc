package client_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/client"
)

// Bound the wait for an answer. The call goes on, and its result is fetched later.
func ExampleWait() {
	srv := routes{
		"POST /v1/execute": `{"results": [{"call_id": "c1", "tool": "render_video", "status": "pending", "state": "running"}]}`,
		"GET /v1/calls/c1": `{"call_id": "c1", "tool": "render_video", "status": "success", "state": "done", "result": "out.mp4"}`,
	}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	r, err := c.Call(context.Background(), "render_video", map[string]int{"scene": 3}, client.Wait(time.Second))
	if errors.Is(err, client.ErrPending) {
		fmt.Println(err)
		r, err = c.Get(context.Background(), r.CallID)
	}
	fmt.Println(r.Status, string(r.Value), err)
	// Output:
	// the call is not done: c1 is running
	// success "out.mp4" <nil>
}

// Submit a call without waiting, under an id of your own, and get its result in another
// process or after a restart.
func ExampleClient_Get() {
	srv := routes{
		"POST /v1/execute":      `{"results": [{"call_id": "order-7", "tool": "print_label", "status": "pending", "state": "queued"}]}`,
		"GET /v1/calls/order-7": `{"call_id": "order-7", "tool": "print_label", "status": "success", "state": "done", "result": true}`,
	}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	calls := []client.Call{{ID: "order-7", Tool: "print_label"}}
	resp, err := c.Execute(context.Background(), client.Request{Calls: calls, Wait: client.NoWait})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Results[0].State)
	r, err := c.Get(context.Background(), "order-7")
	fmt.Println(r.State, string(r.Value), err)
	// Output:
	// queued
	// done true <nil>
}

// Make a call safe to repeat: a call_id runs once, however often it is sent.
func ExampleCallID() {
	runs := 0
	srv := once(&runs)
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	for range 3 { // as after lost answers
		r, err := c.Call(context.Background(), "send_invoice", nil, client.CallID("invoice-2026-117"))
		fmt.Println(string(r.Value), err)
	}
	fmt.Println("runs:", runs)
	// Output:
	// {"run": 1} <nil>
	// {"run": 1} <nil>
	// {"run": 1} <nil>
	// runs: 1
}

// Cancel a call. A call that is already done keeps its result.
func ExampleClient_Cancel() {
	srv := routes{
		"POST /v1/calls/c1/cancel": `{"call_id": "c1", "tool": "render_video", "status": "error", "state": "done",
			"error_type": "cancelled", "message": "the call was cancelled"}`,
		"POST /v1/calls/c2/cancel": `{"call_id": "c2", "tool": "add", "status": "success", "state": "done", "result": 5}`,
	}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	for _, id := range []string{"c1", "c2"} {
		r, err := c.Cancel(context.Background(), id)
		fmt.Println(r.Tool, r.Status, r.ErrorType, err)
	}
	// Output:
	// render_video error cancelled <nil>
	// add success  <nil>
}
