package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// stepsAndQuestion is a program with two steps, a line for people, and a question.
const stepsAndQuestion = `{"code":"for (const n of [1, 2]) await tools.debug.echo({value: n});` +
	` program.log('two echoes'); return await program.ask('Go on?', {type: 'boolean'}) ? 'went on' : 'stopped'"}`

// TestMCPProgramTask: a program is a task that requires input while a step awaits the person, shows
// its steps, is found by a client that comes back, and can be answered and cancelled there.
func TestMCPProgramTask(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	first := mcpclient.NewTaskClient(t, shared, tenant, mcpclient.KnowsTasks)
	made := first.Ask("tools/call", "run_program", `"name":"run_program","arguments":`+stepsAndQuestion).Result
	if made.ResultType != "task" || made.Status != "working" || made.TaskID == "" {
		t.Fatalf("the program was answered %+v", made)
	}
	back := mcpclient.NewTaskClient(t, shared, tenant, mcpclient.KnowsTasks)
	asked := back.Becomes(made.TaskID, "input_required").Result
	if len(asked.InputRequests) != 1 || !strings.HasPrefix(asked.StatusMessage, "2 steps done: two echoes; waits for a person") {
		t.Errorf("the task that waits is %+v", asked)
	}
	if hour := int64(3_600_000); asked.TTLMs < hour || asked.TTLMs <= made.TTLMs/2 {
		t.Errorf("the task is kept for %d ms, want longer than the program may take", asked.TTLMs)
	}
	without := mcpclient.NewTaskClient(t, shared, tenant, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
	if got := without.Ask("tasks/get", made.TaskID, `"taskId":"`+made.TaskID+`"`).Result; got.Status != "working" ||
		!strings.Contains(got.StatusMessage, "waits for a person to decide about consent") {
		t.Errorf("for a client that cannot ask the task is %+v", got)
	}
	for key := range asked.InputRequests {
		if !strings.Contains(string(asked.InputRequests[key]), "Go on?") {
			t.Errorf("the question is %s", asked.InputRequests[key])
		}
		back.Ask("tasks/update", made.TaskID, `"taskId":"`+made.TaskID+`","inputResponses":{"`+key+`":{"action":"accept","content":{"answer":true}}}`)
	}
	if done := back.Becomes(made.TaskID, "completed").Result; len(done.Result.Content) != 1 || done.Result.Content[0].Text != "went on" {
		t.Errorf("the task ended as %+v", done)
	}

	other := first.Ask("tools/call", "run_program", `"name":"run_program","arguments":`+stepsAndQuestion).Result
	first.Becomes(other.TaskID, "input_required")
	back.Ask("tasks/cancel", other.TaskID, `"taskId":"`+other.TaskID+`"`)
	back.Becomes(other.TaskID, "cancelled")
}

// TestMCPProgramSteps: a client that waits for a program is told each step that ends and each line
// for people, and is asked the questions of the steps.
func TestMCPProgramSteps(t *testing.T) {
	t.Parallel()
	mcpclient.EveryVersion(t, func(t *testing.T, version string) {
		var mu sync.Mutex
		var told []string
		last := 0.0
		o := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			if req.Params.Progress <= last {
				t.Errorf("progress %v after %v", req.Params.Progress, last)
			}
			last = req.Params.Progress
			told = append(told, req.Params.Message)
		}}
		c := mcpclient.Connect(t, shared, version, mcpclient.AsUser1(system.NewTenant()), o)
		params := &mcp.CallToolParams{Name: "run_program", Arguments: json.RawMessage(`{"code":"await tools.debug.echo({value: 1});` +
			` program.log('half done'); await tools.calculate({expression: '6*7'}); return 'done'"}`)}
		params.SetProgressToken("steps")
		if res, err := c.CallTool(system.Context(t), params); err != nil || res.IsError {
			t.Fatalf("the program ended as %+v, %v", res, err)
		}
		system.Eventually(t, "the client was told of the steps", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return last == 2 && slices.Equal(told, []string{"debug.echo", "half done", "half done"})
		})
	})
}

// TestMCPProgramAsks: a client without tasks whose person can be asked shows the question of a
// program's step, and gets the program's result.
func TestMCPProgramAsks(t *testing.T) {
	t.Parallel()
	p := &mcpclient.Person{Action: "accept", Content: map[string]any{"answer": true}}
	c := mcpclient.Connect(t, shared, "2026-07-28", mcpclient.AsUser1(system.NewTenant()), p.Options())
	res, text := mcpclient.Call(t, c, "run_program", json.RawMessage(stepsAndQuestion))
	if res.IsError || text != "went on" || p.Times.Load() != 1 || p.Asked.Load().Message != "Go on?" {
		t.Errorf("the program ended as %q, asked %d times: %+v", text, p.Times.Load(), p.Asked.Load())
	}
}
