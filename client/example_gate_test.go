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

// Show a person what waits for them, and carry out what they say.
func ExampleClient_WatchConsents() {
	srv := answering(`{"consents": [{"consent_id": "k1", "status": "pending", "user": "ada", "tool": "delete_file",
		"risk": "medium", "reason": "It deletes a file.", "preview": "path: old.txt"}]}`)
	defer srv.Close()

	c, err := client.New(srv.URL, client.WithContext(client.Context{User: "ada"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	enough := errors.New("one is enough for an example")
	err = c.WatchConsents(context.Background(), "ada", func(asked client.Consent) error {
		fmt.Printf("%s (%s risk): %s\n%s\n", asked.Tool, asked.Risk, asked.Reason, asked.Preview)
		return enough
	})
	fmt.Println(err)
	// Output:
	// delete_file (medium risk): It deletes a file.
	// path: old.txt
	// one is enough for an example
}

// Say yes for the rest of the conversation. The first decision counts.
func ExampleClient_Decide() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		io.WriteString(w, `{"status": 409, "error_type": "conflict", "detail": "consent k1 was denied by bob"}`)
	}))
	defer srv.Close()

	c, err := client.New(srv.URL, client.WithContext(client.Context{User: "ada"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	_, err = c.Decide(context.Background(), "k1", client.Decision{Grant: true, Remember: client.RememberSession})
	if failed, ok := errors.AsType[*client.RequestError](err); ok && failed.Type == client.Conflict {
		fmt.Println("too late:", failed.Message)
	}
	// Output: too late: consent k1 was denied by bob
}

// Approve a plan before its calls are made.
func ExampleClient_MintToken() {
	srv := answering(`{"token": "v4.public.abc", "token_id": "t1", "expires_at": "2026-11-20T12:00:00Z"}`)
	defer srv.Close()

	c, err := client.New(srv.URL, client.WithContext(client.Context{User: "ada"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	token, err := c.MintToken(context.Background(), client.TokenSpec{
		TraceID: "0af7651916cd43dd8448eb211c80319c", Tools: []string{"delete_file"}, TTL: time.Minute,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("confirm with", token.ID, "until", token.ExpiresAt.Format(time.TimeOnly))
	// Output: confirm with t1 until 12:00:00
}
