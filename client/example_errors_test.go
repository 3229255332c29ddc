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
)

// Distinguish the failures of a whole request: none of its calls has a result.
func ExampleRequestError() {
	srv := routes{"POST /v1/execute": `{"status": 401, "error_type": "unauthenticated", "detail": "send an API key or a token"}`}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL, client.WithToken("hk_wrong"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	_, err = c.Call(context.Background(), "read_file", map[string]string{"path": "notes.txt"})
	if failed, ok := errors.AsType[*client.RequestError](err); ok {
		switch failed.Type {
		case client.Unauthenticated, client.Forbidden:
			fmt.Println("check the credential:", failed.Message)
		case client.Overloaded, client.RateLimited, client.Unavailable:
			fmt.Println("send it again after", failed.RetryAfter)
		default:
			fmt.Println(failed)
		}
	}
	// Output: check the credential: send an API key or a token
}

// Recognise a server that cannot be reached. The request may or may not have arrived, so
// repeat it with the same call_id only.
func ExampleNew_unreachable() {
	srv := routes{}.serve()
	srv.Close() // nobody listens any more
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	_, err = c.Get(context.Background(), "c1")
	fmt.Println(errors.Is(err, client.ErrUnreachable))
	// Output: true
}

// Let the client repeat a request while the server is overloaded or restarts. It makes the
// call_id first, so a call runs at most once.
func ExampleWithRetryFor() {
	requests := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, `{"status": 503, "error_type": "unavailable", "detail": "the dispatcher is starting"}`)
			return
		}
		io.WriteString(w, `{"results": [{"call_id": "c1", "tool": "add", "status": "success", "state": "done", "result": 5}]}`)
	}))
	defer srv.Close()
	c, err := client.New(srv.URL, client.WithRetryFor(time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	r, err := c.Call(context.Background(), "add", map[string]int{"a": 2, "b": 3})
	fmt.Println(string(r.Value), err, requests)
	// Output: 5 <nil> 2
}
