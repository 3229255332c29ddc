package mcpclient

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TaskClient is a client of the tasks extension: the SDK's does not support it yet, so this
// one writes the messages itself.
type TaskClient struct {
	T      *testing.T
	Tenant string
	Send   func(method, name, params string) Posted
}

// Ask sends a request and returns the state in its answer.
func (c TaskClient) Ask(method, name, params string) TaskState {
	c.T.Helper()
	var state TaskState
	p := c.Send(method, name, params)
	if err := json.Unmarshal([]byte(p.Body), &state); err != nil {
		c.T.Fatalf("%s was answered %d %s", method, p.Status, p.Body)
	}
	return state
}

// Becomes polls a task until it has a status.
func (c TaskClient) Becomes(id, status string) (state TaskState) {
	c.T.Helper()
	system.Eventually(c.T, "the task is "+status, func() bool {
		state = c.Ask("tasks/get", id, `"taskId":"`+id+`"`)
		return state.Result.Status == status
	})
	return state
}

// NewTaskClient returns a client of u1 with some capabilities.
func NewTaskClient(t *testing.T, s *system.System, tenant, capabilities string) TaskClient {
	web := Web(t, s, AsUser1(tenant))
	return TaskClient{t, tenant, func(method, name, params string) Posted {
		head := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name}
		return Post(t, web, head,
			`{"jsonrpc":"2.0","id":1,"method":"`+method+
				`","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+
				capabilities+`},`+params+`}}`)
	}}
}

// TaskContent is one part of a task's result.
type TaskContent struct {
	Text string `json:"text"`
}

// TaskState is the part of an answer that the tests read.
type TaskState struct {
	Result struct {
		ResultType    string                     `json:"resultType"`
		TaskID        string                     `json:"taskId"`
		Status        string                     `json:"status"`
		StatusMessage string                     `json:"statusMessage"`
		CreatedAt     time.Time                  `json:"createdAt"`
		TTLMs         int64                      `json:"ttlMs"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		Result        struct {
			Content []TaskContent `json:"content"`
			IsError bool          `json:"isError"`
		} `json:"result"`
	} `json:"result"`
	Error struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// KnowsTasks are the capabilities of a client that knows tasks and can ask its person.
const KnowsTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{}}`
