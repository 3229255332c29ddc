package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPProgress: what a tool reports reaches the client that asked for it, before
// the result.
func TestMCPProgress(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, version string) {
		var mu sync.Mutex // the SDK calls the handler when it likes, after the answer too
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
			told = append(told, p.Message)
		}}
		c := mcpClient(t, shared, version, asUser1(newTenant()), o)
		params := &mcp.CallToolParams{Name: "contract_steps", Arguments: json.RawMessage(`{"n":3}`)}
		params.SetProgressToken("steps")
		if res, err := c.CallTool(t.Context(), params); err != nil || res.IsError {
			t.Fatalf("the call ended as %+v, %v", res, err)
		}
		eventually(t, "the client was told three steps", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(told) == 3 && strings.Contains(told[2], "3")
		})
	})
}

// TestMCPCancel: a client that gives up its call ends it on the worker, whichever
// dispatcher hears of it.
func TestMCPCancel(t *testing.T) {
	t.Parallel()
	everyVersion(t, func(t *testing.T, version string) {
		tenant := newTenant()
		events := shared.listen(t, tenant)
		cancelInTheMiddle(t, mcpClient(t, shared, version, asUser1(tenant), nil), tenant, events)
	})
}

func cancelInTheMiddle(t *testing.T, c *mcp.ClientSession, tenant string, events *listener) {
	t.Helper()
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "debug.sleep", Arguments: json.RawMessage(`{"ms":600000}`)})
		ended <- err
	}()
	id := events.first("started").CallID
	giveUp()
	if err := <-ended; err == nil {
		t.Error("the call that was given up has a result")
	}
	events.until("done", id)
	wantError(t, settled(t, shared.http(0), tenant, id), "cancelled", "")
}

// A request of an older version that comes a second time, by a proxy that tries again,
// is the same call.
func TestMCPSentTwice(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	web := mcpWeb(t, shared, asUser1(tenant))
	initialized := postMCP(t, web, nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	session := initialized.header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatalf("there is no session: %s", initialized.body)
	}
	head := map[string]string{"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25"}
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"debug.effect","arguments":{"key":"k"}}}`
	first := postMCP(t, web, head, call)
	if again := postMCP(t, web, head, call); again.status != 200 || again.body != first.body || !strings.Contains(first.body, `"id":7`) {
		t.Errorf("sent twice, the call was answered %s and then %s", first.body, again.body)
	}
	postMCP(t, web, head, strings.Replace(call, `"id":7`, `"id":"7"`, 1))
	if lines := ledger(t, shared, tenant, "u1"); len(lines) != 2 {
		t.Errorf("the ledger has %q, want a line for each of two ids", lines)
	}
}

// taskClient is a client that knows tasks, as the extension has them: the SDK's does not
// yet, so it writes the messages itself.
type taskClient struct {
	t      *testing.T
	tenant string
	send   func(method, name, params string) posted
}

func newTaskClient(t *testing.T, s *system, tenant, capabilities string) taskClient {
	web := mcpWeb(t, s, asUser1(tenant))
	return taskClient{t, tenant, func(method, name, params string) posted {
		head := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name}
		return postMCP(t, web, head, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+
			capabilities+`},`+params+`}}`)
	}}
}

// taskState is what the tests read of an answer.
type taskState struct {
	Result struct {
		ResultType    string                     `json:"resultType"`
		TaskID        string                     `json:"taskId"`
		Status        string                     `json:"status"`
		StatusMessage string                     `json:"statusMessage"`
		CreatedAt     time.Time                  `json:"createdAt"`
		TTLMs         int64                      `json:"ttlMs"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		Result        struct {
			Content []struct{ Text string } `json:"content"`
			IsError bool                    `json:"isError"`
		} `json:"result"`
	} `json:"result"`
	Error struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (c taskClient) ask(method, name, params string) taskState {
	c.t.Helper()
	var state taskState
	p := c.send(method, name, params)
	if err := json.Unmarshal([]byte(p.body), &state); err != nil {
		c.t.Fatalf("%s was answered %d %s", method, p.status, p.body)
	}
	return state
}

// becomes polls a task until it has a status.
func (c taskClient) becomes(id, status string) (state taskState) {
	c.t.Helper()
	eventually(c.t, "the task is "+status, func() bool {
		state = c.ask("tasks/get", id, `"taskId":"`+id+`"`)
		return state.Result.Status == status
	})
	return state
}

const knowsTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{}}`

func TestMCPTasks(t *testing.T) {
	t.Parallel()
	t.Run("a long call", func(t *testing.T) {
		t.Parallel()
		tenant := newTenant()
		c, events := newTaskClient(t, shared, tenant, knowsTasks), shared.listen(t, tenant)
		began := time.Now().Add(-time.Second)
		made := c.ask("tools/call", "debug.sleep", `"name":"debug.sleep","arguments":{"ms":600000}`).Result
		if made.ResultType != "task" || made.Status != "working" || made.TaskID == "" || made.CreatedAt.Before(began) || made.TTLMs <= 0 {
			t.Fatalf("the long call was answered %+v", made)
		}
		if again := c.becomes(made.TaskID, "working").Result; !again.CreatedAt.Equal(made.CreatedAt) || again.ResultType != "complete" {
			t.Errorf("asked for, the task is %+v", again)
		}
		if ack := c.ask("tasks/cancel", made.TaskID, `"taskId":"`+made.TaskID+`"`); ack.Result.ResultType != "complete" {
			t.Errorf("the cancellation was answered %+v", ack)
		}
		c.becomes(made.TaskID, "cancelled")
		events.until("done", made.TaskID)
	})
	t.Run("its end", func(t *testing.T) {
		t.Parallel()
		c := newTaskClient(t, shared, newTenant(), knowsTasks)
		made := c.ask("tools/call", "debug.sleep", `"name":"debug.sleep","arguments":{"ms":2500}`).Result
		if made.ResultType != "task" {
			t.Skipf("the call was over before it became a task: %+v", made)
		}
		if done := c.becomes(made.TaskID, "completed").Result; done.Result.IsError || len(done.Result.Content) != 1 {
			t.Errorf("the task ended as %+v", done)
		}
	})
	t.Run("a person is asked", func(t *testing.T) {
		t.Parallel()
		tenant := newTenant()
		// A client that cannot show a question waits for a person elsewhere.
		c := newTaskClient(t, shared, tenant, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
		made := c.ask("tools/call", "debug.guarded", `"name":"debug.guarded","arguments":{"key":"k"}`).Result
		if made.ResultType != "task" || made.Status != "working" || !strings.Contains(made.StatusMessage, "consent") {
			t.Fatalf("the call that waits was answered %+v", made)
		}
		// One that can is asked by the same task.
		asking := newTaskClient(t, shared, tenant, knowsTasks)
		asked := asking.becomes(made.TaskID, "input_required").Result
		for key := range asked.InputRequests {
			asking.ask("tasks/update", made.TaskID, `"taskId":"`+made.TaskID+`","inputResponses":{"`+key+`":{"action":"accept","content":{"remember":"once"}}}`)
		}
		if done := c.becomes(made.TaskID, "completed").Result; done.Result.IsError || !slices.ContainsFunc(done.Result.Content, func(p struct{ Text string }) bool { return strings.Contains(p.Text, "true") }) {
			t.Errorf("the task ended as %+v", done)
		}
		if lines := ledger(t, shared, tenant, "u1"); len(lines) != 1 {
			t.Errorf("the ledger has %q, want one line", lines)
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		c := newTaskClient(t, shared, newTenant(), knowsTasks)
		if state := c.ask("tasks/get", "nobody", `"taskId":"nobody"`); state.Error.Code != -32602 {
			t.Errorf("a task that is not there: %+v", state.Error)
		}
		if state := c.ask("tasks/get", "", `"taskId":""`); state.Error.Code != -32602 {
			t.Errorf("no task: %+v", state.Error)
		}
		unknowing := newTaskClient(t, shared, newTenant(), `{}`)
		if state := unknowing.ask("tasks/get", "nobody", `"taskId":"nobody"`); state.Error.Code != -32021 {
			t.Errorf("a client that did not say it knows tasks: %+v", state.Error)
		}
	})
}
