package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/tool"
)

// answering is a server that always gives the same answer.
func answering(body string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, body)
	}))
}

// Run one tool and decode its result.
func ExampleClient_Call() {
	srv := answering(`{"results": [{"call_id": "c1", "tool": "get_current_time", "status": "success",
		"result": {"time": "2026-11-20T12:00:00+01:00", "timezone": "Europe/Paris"}}]}`)
	defer srv.Close()

	c, err := client.New(srv.URL, client.WithContext(client.Context{User: "ada"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	var now struct {
		Time string `json:"time"`
	}
	args := map[string]string{"timezone": "Europe/Paris"}
	if _, err := c.Call(context.Background(), "get_current_time", args, client.Into(&now)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(now.Time)
	// Output: 2026-11-20T12:00:00+01:00
}

// Tell a failed call from a request that did not get through.
func ExampleClient_Call_errors() {
	srv := answering(`{"results": [{"call_id": "c1", "tool": "read_file", "status": "error",
		"error_type": "file_not_found", "message": "notes.txt does not exist; list_directory shows what is there"}]}`)
	defer srv.Close()

	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	r, err := c.Call(context.Background(), "read_file", map[string]string{"path": "notes.txt"})
	if failed, ok := errors.AsType[*tool.Error](err); ok {
		fmt.Println("the tool failed:", failed.Kind)
		fmt.Println(failed.Msg)
	} else if errors.Is(err, client.ErrPending) {
		fmt.Println("not done; get it later as", r.CallID)
	} else if err != nil {
		fmt.Println("the request failed:", err)
	}
	// Output:
	// the tool failed: file_not_found
	// notes.txt does not exist; list_directory shows what is there
}

// Run several calls in parallel. With retries the request survives restarts of
// the servers, because the client gives each call its id first.
func ExampleClient_Execute() {
	srv := answering(`{"trace_id": "0af7651916cd43dd8448eb211c80319c", "results": [
		{"call_id": "c1", "tool": "read_file", "status": "success", "result": {"lines": 2}, "text": "buy milk"},
		{"call_id": "c2", "tool": "delete_file", "status": "pending", "state": "awaiting_consent", "consent_id": "k1"}]}`)
	defer srv.Close()

	c, err := client.New(srv.URL, client.WithRetry())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	resp, err := c.Execute(ctx, client.Request{
		Context: client.Context{User: "ada", Agent: "notes"},
		Calls: []client.Call{
			{Tool: "read_file", Arguments: map[string]string{"path": "todo.txt"}},
			{Tool: "delete_file", Arguments: map[string]string{"path": "old.txt"}},
		},
		Wait: 20 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range resp.Results {
		fmt.Printf("%s: %s %s%s\n", r.Tool, r.Status, r.Text, r.ConsentID)
	}
	// Output:
	// read_file: success buy milk
	// delete_file: pending k1
}

// Follow a trace. On NATS begin before the calls are sent.
func ExampleClient_Events() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, kind := range []string{"queued", "started", "done"} {
			fmt.Fprintf(w, "event: %s\ndata: {\"type\": %q, \"call_id\": \"c1\", \"tool\": \"read_file\"}\n\n", kind, kind)
		}
	}))
	defer srv.Close()

	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	for e, err := range c.Events(context.Background(), "0af7651916cd43dd8448eb211c80319c") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Tool, e.Type)
		if e.Type == client.EventDone {
			return
		}
	}
	// Output:
	// read_file queued
	// read_file started
	// read_file done
}
