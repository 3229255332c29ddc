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

// waitingPoll is the same for a program that waits.
const waitingPoll = 5000

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
func (s *Server) newTask(ctx context.Context, by Caller, out Outcome) *createdTask {
	return &createdTask{ResultType: "task", task: s.taskOf(ctx, by, out)}
}

// taskOf returns the task of a call that is not done.
func (s *Server) taskOf(ctx context.Context, by Caller, out Outcome) task {
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
		t.TTLMs += max(0, now.Sub(t.CreatedAt)).Milliseconds() // it counts from there, and a program takes days
	}
	if out.asks() {
		t.StatusMessage = "waits for a person to decide about consent " + out.ConsentID
		return t
	}
	if out.Status != pending || !out.Durable {
		return t
	}
	if at, err := s.platform.Program(ctx, by, out.CallID); err == nil {
		t.StatusMessage = at.text()
		t.TTLMs += max(at.Deadline.Sub(t.CreatedAt), 0).Milliseconds() // its result is kept after its end
		if waits := out.waits(); waits != "" {
			t.StatusMessage, t.PollIntervalMs = t.StatusMessage+"; "+waits, waitingPoll
		}
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
	t := &detailedTask{createdTask: createdTask{ResultType: "complete", task: s.taskOf(ctx, by, out)}}
	switch {
	case len(out.questions()) > 0 && client.Elicitation != nil:
		s.require(ctx, by, client, t, out.questions())
	case out.Status == pending:
	case out.ErrorType == "cancelled":
		t.Status, t.StatusMessage = "cancelled", out.Message
	case out.ErrorType == "tool_not_found":
		t.Status, t.StatusMessage = "failed", out.Message
		t.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: out.Message}
	default:
		t.Status, t.Result = "completed", out.answer().result()
	}
	return t, nil
}

// require adds the questions to a task that the caller may see; others wait for somebody who may.
func (s *Server) require(ctx context.Context, by Caller, client *sdk.ClientCapabilities, t *detailedTask, consentIDs []string) {
	for _, id := range consentIDs {
		q, err := s.platform.Consent(ctx, by, id)
		switch {
		case err != nil:
		case q.ConnectURL != "" && client.Elicitation.URL == nil:
			t.StatusMessage = "waits for an account of " + q.Service + ", which the person connects at " + q.ConnectURL
		default:
			if t.InputRequests == nil {
				t.InputRequests = sdk.InputRequestMap{}
			}
			t.Status, t.InputRequests[asked(id)] = "input_required", s.elicit(client, id, q)
		}
	}
}

// updateTask forwards a person's answers to the questions of a call.
func (s *Server) updateTask(ctx context.Context, by Caller, client *sdk.ClientCapabilities, params *taskParams) (sdk.Result, error) {
	out, err := s.stand(ctx, by, params.TaskID)
	if err != nil {
		return nil, err
	}
	for _, id := range out.questions() {
		if reply, ok := params.InputResponses[asked(id)].(*sdk.ElicitResult); ok {
			if err := s.decide(ctx, by, client, id, reply); err != nil {
				return nil, err
			}
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
