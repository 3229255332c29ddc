package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// chat is the front end of a conversation between a person and an assistant.
type chat struct {
	t     *testing.T
	s     *system.System
	door  system.HTTPDoor
	turns int
}

// content is the content of a message that answers a call.
type content struct {
	Status    string          `json:"status"`
	Result    json.RawMessage `json:"result"`
	Notes     []string        `json:"notes"`
	ErrorType string          `json:"error_type"`
	Message   string          `json:"message"`
}

// text returns a result that is a text.
func (c content) text() string {
	var text string
	if json.Unmarshal(c.Result, &text) != nil {
		return string(c.Result)
	}
	return text
}

// send sends the message of a model that calls a tool, and returns the element of the call
// and what the model is told, which is nothing while the call is pending.
func (c *chat) send(name, arguments string) (system.Element, content) {
	c.t.Helper()
	c.turns++
	message, err := json.Marshal(map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
		"id": fmt.Sprintf("call_%d", c.turns), "type": "function", "function": map[string]string{"name": name, "arguments": arguments},
	}}})
	if err != nil {
		c.t.Fatal(err)
	}
	body := fmt.Sprintf(
		`{"context": {"user": "ann", "agent": "helper", "conversation": "afternoon"}, "format": "openai", "message": %s, "wait_ms": 30000}`,
		message,
	)
	r := c.door.Ask(c.t, "default", "execute", nil, body)
	got := system.Decode[struct {
		Results  []system.Element `json:"results"`
		Messages []struct {
			Role, Content string
			ID            string `json:"tool_call_id"`
		} `json:"messages"`
	}](c.t, r)
	if r.Status != 200 || len(got.Results) != 1 {
		c.t.Fatalf("execute = %d %s", r.Status, r.Body)
	}
	e := got.Results[0]
	if e.Status == "pending" {
		if got.Messages != nil {
			c.t.Errorf("a pending call has messages: %s", r.Body)
		}
		return e, content{}
	}
	if len(got.Messages) != 1 || got.Messages[0].Role != "tool" || got.Messages[0].ID != fmt.Sprintf("call_%d", c.turns) {
		c.t.Fatalf("the messages to append are wrong: %s", r.Body)
	}
	var told content
	if err := json.Unmarshal([]byte(got.Messages[0].Content), &told); err != nil {
		c.t.Fatal(err)
	}
	return e, told
}

// helve runs a command of an operator, which must succeed.
func (c *chat) helve(stdin string, args ...string) string {
	c.t.Helper()
	var out strings.Builder
	code := cli.Run(system.Context(c.t), append(args, "--server", c.s.URLs[0]), strings.NewReader(stdin), &out, &out,
		&cobra.Command{Use: "config"})
	if code != 0 {
		c.t.Fatalf("helve %s = %d: %s", strings.Join(args, " "), code, out.String())
	}
	return out.String()
}

// lacks makes a call whose service nobody has set, and checks the three parts of the error:
// what is missing, for whom, and the command that sets it.
func (c *chat) lacks(name, arguments, service, command string) {
	c.t.Helper()
	_, told := c.send(name, arguments)
	if told.ErrorType != "not_configured" || !strings.Contains(told.Message, service) ||
		!strings.Contains(told.Message, "for the tenant default") || !strings.Contains(told.Message, command) {
		c.t.Errorf("%s without its service: %+v, want not_configured with %q and %q", name, told, service, command)
	}
}

// everywhere waits until a call succeeds on both workers, and only succeeds.
func (c *chat) everywhere(call string) {
	c.t.Helper()
	many := strings.TrimSuffix(strings.Repeat(call+",", 12), ",")
	system.Eventually(c.t, "all workers have the service of "+call, func() bool {
		workers := map[string]bool{}
		for _, e := range system.Execute(c.t, c.door, "default", system.CallAs("ann", many)).Results {
			if e.Status != "success" {
				return false
			}
			workers[e.Worker] = true
		}
		return len(workers) == 2
	})
}

// inbox returns the request of a person's inbox that a call waits for.
func (c *chat) inbox(e system.Element) (asked struct {
	ID         string `json:"consent_id"`
	Kind       string `json:"kind"`
	Service    string `json:"service"`
	ConnectURL string `json:"connect_url"`
	Preview    string `json:"preview"`
}) {
	c.t.Helper()
	r := c.door.Ask(c.t, "default", "consent.get", map[string]string{"consent_id": e.ConsentID, "user": "ann"}, "")
	if err := json.Unmarshal(r.Body, &asked); err != nil || r.Status != 200 || e.State != "awaiting_consent" || asked.ID != e.ConsentID {
		c.t.Fatalf("the call is %v, and its request %d %s", e, r.Status, r.Body)
	}
	return asked
}

// visit opens an address in a new browser, and returns the status and address of the page
// at which it ends.
func visit(t *testing.T, address string) (status int, end string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	req, err := http.NewRequestWithContext(system.Context(t), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := (&http.Client{Jar: jar, Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Request.URL.String()
}
