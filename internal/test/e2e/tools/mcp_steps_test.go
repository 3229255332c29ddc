package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// TestMCPProgress: a tool's progress reaches the client that requested it, before the
// result.
func TestMCPProgress(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		var mu sync.Mutex // the SDK calls the handler at any time, even after the answer
		var told []string
		last := 0.0
		o := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			p := req.Params
			if p.ProgressToken != "steps" || p.Progress <= last {
				t.Errorf("progress %v of %v after %v", p.Progress, p.ProgressToken, last)
			}
			last = p.Progress
			told = append(told, fmt.Sprint(p.Progress, p.Message))
		}}
		c := mcpclient.Connect(t, shared, version, mcpclient.AsUser1(system.NewTenant()), o)
		params := &mcp.CallToolParams{Name: "contract_steps", Arguments: json.RawMessage(`{"n":3}`)}
		params.SetProgressToken("steps")
		if res, err := c.CallTool(system.Context(t), params); err != nil || res.IsError {
			t.Fatalf("the call ended as %+v, %v", res, err)
		}
		system.Eventually(t, "the client was told three steps", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return slices.Equal(told, []string{"1", "2", "3"}) // and no message, as the tool has none
		})
	})
}

// TestMCPCancel: a client that cancels its call ends it on the worker, through any
// dispatcher.
func TestMCPCancel(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		tenant := system.NewTenant()
		events := shared.Listen(t, tenant)
		cancelInTheMiddle(t, mcpclient.Connect(t, shared, version, mcpclient.AsUser1(tenant), nil), tenant, events)
	})
}

func cancelInTheMiddle(t *testing.T, c *mcp.ClientSession, tenant string, events *system.Listener) {
	t.Helper()
	ctx, giveUp := context.WithCancel(system.Context(t))
	defer giveUp()
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "debug.sleep", Arguments: json.RawMessage(`{"ms":600000}`)})
		ended <- err
	}()
	id := events.First("started").CallID
	giveUp()
	if err := system.Receive(t, "the call that was given up has ended", ended); err == nil {
		t.Error("the call that was given up has a result")
	}
	events.Until("done", id)
	system.WantError(t, system.Settled(t, shared.HTTP(0), tenant, id), "cancelled", "")
}

// TestMCPSentTwice: a request of an older version that arrives twice, from a proxy that
// retries, is the same call.
func TestMCPSentTwice(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	web := mcpclient.Web(t, shared, mcpclient.AsUser1(tenant))
	initialized := mcpclient.Post(t, web, nil,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	session := initialized.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatalf("there is no session: %s", initialized.Body)
	}
	head := map[string]string{"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25"}
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"debug.effect","arguments":{"key":"k"}}}`
	first := mcpclient.Post(t, web, head, call)
	if again := mcpclient.Post(t, web, head, call); again.Status != 200 || again.Body != first.Body ||
		!strings.Contains(first.Body, `"id":7`) {
		t.Errorf("sent twice, the call was answered %s and then %s", first.Body, again.Body)
	}
	mcpclient.Post(t, web, head, strings.Replace(call, `"id":7`, `"id":"7"`, 1))
	if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 2 {
		t.Errorf("the ledger has %q, want a line for each of two ids", lines)
	}
}

func TestMCPTasks(t *testing.T) {
	t.Parallel()
	t.Run("a long call", func(t *testing.T) {
		t.Parallel()
		tenant := system.NewTenant()
		c, events := mcpclient.NewTaskClient(t, shared, tenant, mcpclient.KnowsTasks), shared.Listen(t, tenant)
		began := time.Now().Add(-time.Second)
		made := c.Ask("tools/call", "debug.sleep", `"name":"debug.sleep","arguments":{"ms":600000}`).Result
		if made.ResultType != "task" || made.Status != "working" || made.TaskID == "" || made.CreatedAt.Before(began) || made.TTLMs <= 0 {
			t.Fatalf("the long call was answered %+v", made)
		}
		if again := c.Becomes(made.TaskID, "working").Result; !again.CreatedAt.Equal(made.CreatedAt) || again.ResultType != "complete" {
			t.Errorf("asked for, the task is %+v", again)
		}
		if ack := c.Ask("tasks/cancel", made.TaskID, `"taskId":"`+made.TaskID+`"`); ack.Result.ResultType != "complete" {
			t.Errorf("the cancellation was answered %+v", ack)
		}
		c.Becomes(made.TaskID, "cancelled")
		events.Until("done", made.TaskID)
	})
	t.Run("its end", func(t *testing.T) {
		t.Parallel()
		tenant := system.NewTenant()
		p, held := shared.RemoteProcess(t, tenant, "p1"), make(chan system.RemoteCall, 1)
		p.Answer("later", func(q system.RemoteCall) { held <- q })
		p.Always("now", `{"status": "success"}`)
		for at := range 2 {
			p.Register(shared.HTTP(at), system.LongTTL, system.ReadingTool("later", "")+", "+system.ReadingTool("now", ""))
			system.UseTool(t, shared.HTTP(at), tenant, "now", `{}`)
		}
		c := mcpclient.NewTaskClient(t, shared, tenant, mcpclient.KnowsTasks)
		made := c.Ask("tools/call", "later", `"name":"later","arguments":{}`).Result
		if made.ResultType != "task" {
			t.Fatalf("the call that is not answered yet was answered %+v", made)
		}
		q := system.Receive(t, "a remote process has the call of later", held)
		q.Respond(t, `{"status": "success", "result": "found"}`)
		if done := c.Becomes(made.TaskID, "completed").Result; done.Result.IsError || done.Result.Content[0].Text != "found" {
			t.Errorf("the task ended as %+v", done)
		}
	})
	t.Run("a person is asked", func(t *testing.T) {
		t.Parallel()
		tenant := system.NewTenant()
		// A client that cannot show a question: its person decides elsewhere.
		c := mcpclient.NewTaskClient(t, shared, tenant, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
		made := c.Ask("tools/call", "debug.guarded", `"name":"debug.guarded","arguments":{"key":"k"}`).Result
		if made.ResultType != "task" || made.Status != "working" || !strings.Contains(made.StatusMessage, "consent") {
			t.Fatalf("the call that waits was answered %+v", made)
		}
		// A client that can is asked through the same task.
		asking := mcpclient.NewTaskClient(t, shared, tenant, mcpclient.KnowsTasks)
		asked := asking.Becomes(made.TaskID, "input_required").Result
		for key := range asked.InputRequests {
			asking.Ask("tasks/update", made.TaskID,
				`"taskId":"`+made.TaskID+`","inputResponses":{"`+key+`":{"action":"accept","content":{"remember":"once"}}}`)
		}
		if done := c.Becomes(made.TaskID, "completed").Result; done.Result.IsError ||
			!slices.ContainsFunc(done.Result.Content, func(p mcpclient.TaskContent) bool { return strings.Contains(p.Text, "true") }) {
			t.Errorf("the task ended as %+v", done)
		}
		if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 1 {
			t.Errorf("the ledger has %q, want one line", lines)
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		c := mcpclient.NewTaskClient(t, shared, system.NewTenant(), mcpclient.KnowsTasks)
		if state := c.Ask("tasks/get", "nobody", `"taskId":"nobody"`); state.Error.Code != -32602 {
			t.Errorf("a task that is not there: %+v", state.Error)
		}
		if state := c.Ask("tasks/get", "", `"taskId":""`); state.Error.Code != -32602 {
			t.Errorf("no task: %+v", state.Error)
		}
		unknowing := mcpclient.NewTaskClient(t, shared, system.NewTenant(), `{}`)
		if state := unknowing.Ask("tasks/get", "nobody", `"taskId":"nobody"`); state.Error.Code != -32021 {
			t.Errorf("a client that did not say it knows tasks: %+v", state.Error)
		}
	})
}
