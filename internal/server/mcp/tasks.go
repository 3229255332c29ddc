package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tasksExtension is the name by which clients and servers declare support of tasks
// (SEP-2663). Versions before 2026-07-28 had tasks of another form, which are not
// supported.
const tasksExtension = "io.modelcontextprotocol/tasks"

// pollInterval is the interval at which a client should poll a task, in milliseconds.
const pollInterval = 1000

// task is a long call that a client polls. Its ID is the call's, so that any replica
// can answer.
type task struct {
	TaskID         string    `json:"taskId"`
	Status         string    `json:"status"`
	StatusMessage  string    `json:"statusMessage,omitempty"`
	CreatedAt      time.Time `json:"createdAt"`
	LastUpdatedAt  time.Time `json:"lastUpdatedAt"`
	TTLMs          int64     `json:"ttlMs"`
	PollIntervalMs int       `json:"pollIntervalMs"`
}

// createdTask is returned in place of a result.
type createdTask struct {
	sdk.ResultBase
	task

	ResultType string `json:"resultType"`
}

// detailedTask answers tasks/get.
type detailedTask struct {
	createdTask

	InputRequests sdk.InputRequestMap `json:"inputRequests,omitempty"`
	Result        *sdk.CallToolResult `json:"result,omitempty"`
	Error         *jsonrpc.Error      `json:"error,omitempty"`
}

// acknowledged answers tasks/update and tasks/cancel.
type acknowledged struct {
	sdk.ResultBase

	ResultType string `json:"resultType"`
}

type taskParams struct {
	sdk.ParamsBase

	TaskID         string               `json:"taskId"`
	InputResponses sdk.InputResponseMap `json:"inputResponses,omitempty"`
}

// hasExtension reports whether a client supports tasks.
func hasExtension(client *sdk.ClientCapabilities) bool {
	_, ok := client.Extensions[tasksExtension]
	return ok
}

func (s *Server) serveTasks() {
	type handler = func(context.Context, Caller, *sdk.ClientCapabilities, *taskParams) (sdk.Result, error)
	for method, handle := range map[string]handler{"tasks/get": s.getTask, "tasks/update": s.updateTask, "tasks/cancel": s.cancelTask} {
		err := sdk.AddReceivingCustomMethod(s.sdk, method,
			func(ctx context.Context, _ *sdk.ServerSession, params *taskParams) (sdk.Result, error) {
				client := capabilities(params.Meta)
				switch {
				case !hasExtension(client):
					return nil, errNoTasks
				case params.TaskID == "":
					return nil, invalid("taskId is missing")
				}
				res, err := handle(ctx, callerOf(ctx), client, params)
				return res, protocolError(err)
			})
		if err != nil {
			panic("mcp: " + err.Error()) // the SDK now has a method of that name
		}
	}
}

// capabilities parses the client's capabilities from a request of a method that the SDK
// does not know.
func capabilities(meta sdk.Meta) *sdk.ClientCapabilities {
	client := &sdk.ClientCapabilities{}
	text, err := json.Marshal(meta[sdk.MetaKeyClientCapabilities])
	if err == nil {
		_ = json.Unmarshal(text, client) // unreadable capabilities count as none
	}
	return client
}

var errNoTasks = &jsonrpc.Error{
	Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client did not say that it knows tasks",
	Data: json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + tasksExtension + `":{}}}}`),
}

// newTask returns the first answer for a long call.
func (s *Server) newTask(out Outcome) *createdTask {
	return &createdTask{ResultType: "task", task: s.taskOf(out)}
}

// taskOf returns the task of a call that is not done.
func (s *Server) taskOf(out Outcome) task {
	now := time.Now().UTC().Truncate(time.Millisecond)
	t := task{
		TaskID:         out.CallID,
		Status:         "working",
		CreatedAt:      now,
		LastUpdatedAt:  now,
		TTLMs:          s.TaskTTL.Milliseconds(),
		PollIntervalMs: pollInterval,
	}
	if at, ok := createdAt(out.CallID); ok {
		t.CreatedAt = at.Truncate(time.Millisecond)
	}
	if out.asks() {
		t.StatusMessage = "waits for a person to decide about consent " + out.ConsentID
	}
	return t
}

// stand returns the state of a task's call.
func (s *Server) stand(ctx context.Context, by Caller, taskID string) (Outcome, error) {
	out, err := s.platform.Get(ctx, by, taskID)
	if err != nil {
		return out, invalid("there is no task %.80q, or no longer: %v", taskID, err)
	}
	return out, nil
}

func (s *Server) getTask(ctx context.Context, by Caller, client *sdk.ClientCapabilities, params *taskParams) (sdk.Result, error) {
	out, err := s.stand(ctx, by, params.TaskID)
	if err != nil {
		return nil, err
	}
	t := &detailedTask{createdTask: createdTask{ResultType: "complete", task: s.taskOf(out)}}
	switch {
	case out.asks() && client.Elicitation != nil:
		// A caller who may not see the question waits for somebody who may.
		q, err := s.platform.Consent(ctx, by, out.ConsentID)
		switch {
		case err != nil:
		case q.ConnectURL != "" && client.Elicitation.URL == nil:
			t.StatusMessage = "waits for an account of " + q.Service + ", which the person connects at " + q.ConnectURL
		default:
			t.Status = "input_required"
			t.InputRequests = sdk.InputRequestMap{asked(out.ConsentID): s.elicit(client, out.ConsentID, q)}
		}
	case out.Status == pending:
	case out.ErrorType == "cancelled":
		t.Status, t.StatusMessage = "cancelled", out.Message
	case out.ErrorType == "tool_not_found":
		t.Status, t.StatusMessage = "failed", out.Message
		t.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: out.Message}
	default:
		t.Status, t.Result = "completed", out.answer().result()
	}
	return t, nil //nolint:nilerr // a question that this caller may not see stays with its person
}

// updateTask forwards a person's answer to the single question of a call.
func (s *Server) updateTask(ctx context.Context, by Caller, client *sdk.ClientCapabilities, params *taskParams) (sdk.Result, error) {
	out, err := s.stand(ctx, by, params.TaskID)
	if err != nil {
		return nil, err
	}
	if reply, ok := params.InputResponses[asked(out.ConsentID)].(*sdk.ElicitResult); ok && out.asks() {
		if err := s.decide(ctx, by, client, out.ConsentID, reply); err != nil {
			return nil, err
		}
	}
	return &acknowledged{ResultType: "complete"}, nil
}

func (s *Server) cancelTask(ctx context.Context, by Caller, _ *sdk.ClientCapabilities, params *taskParams) (sdk.Result, error) {
	if _, err := s.stand(ctx, by, params.TaskID); err != nil {
		return nil, err
	}
	s.cancel(ctx, by, params.TaskID)
	return &acknowledged{ResultType: "complete"}, nil
}
