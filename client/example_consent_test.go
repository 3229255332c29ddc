package client_test

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/client"
)

const waiting = `{"consent_id": "k1", "status": "pending", "user": "ada", "tool": "delete_file", "risk": "medium",
	"reason": "It deletes a file.", "preview": "path: old.txt"}`

// List what waits for a person, and grant it.
func ExampleClient_Consents() {
	srv := routes{
		"GET /v1/consents": `{"consents": [` + waiting + `]}`,
		"POST /v1/consents/k1/decision": `{"consent_id": "k1", "status": "granted", "user": "ada", "tool": "delete_file",
			"decision": {"status": "granted", "by": "ada", "at": "2026-11-20T12:00:00Z", "comment": "It is a copy."}}`,
	}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL, client.WithContext(client.Context{User: "ada"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	inbox, err := c.Consents(context.Background(), client.ConsentFilter{Status: client.ConsentPending, User: "ada"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, asked := range inbox.Consents {
		decided, err := c.Decide(context.Background(), asked.ID, client.Decision{Grant: true, Comment: "It is a copy."})
		fmt.Println(asked.Preview, decided.Status, err)
	}
	// Output: path: old.txt granted <nil>
}

// Wait until the person has decided, at most for a minute.
func ExampleAwaitConsent() {
	srv := routes{"POST /v1/execute": `{"results": [{"call_id": "c1", "tool": "delete_file", "status": "error", "state": "done",
		"error_type": "permission_denied", "message": "ada denied the call: keep that file"}]}`}.serve()
	defer srv.Close()
	c, err := client.New(srv.URL, client.WithContext(client.Context{User: "ada", Agent: "notes"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	args := map[string]string{"path": "old.txt"}
	_, err = c.Call(context.Background(), "delete_file", args, client.AwaitConsent(), client.Wait(time.Minute))
	fmt.Println(err)
	// Output: permission_denied: ada denied the call: keep that file
}
