package stack

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// client sends requests to the API with a key.
type client struct {
	t        *testing.T
	url, key string
	made     int // calls that ended with a result
}

type object = map[string]any

// post sends a request and returns the answer.
func (c *client) post(path string, body object) (answer struct {
	Results []struct {
		Status    string
		ConsentID string `json:"consent_id"`
	}
},
) {
	c.t.Helper()
	res := c.send(path, c.key, body)
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: %s %v %+v", path, res.Status, err, answer)
	}
	return answer
}

func (c *client) send(path, key string, body object) *http.Response {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+path, bytes.NewReader(text))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	return res
}

// call runs calls of one user, grants those that need consent, and returns their states.
func (c *client) call(wait int, calls ...object) (states []string) {
	c.t.Helper()
	for _, r := range c.post("/v1/execute", object{
		"context": object{"user": "ada"}, "calls": calls, "wait_ms": wait, "consent": "return",
	}).Results {
		if r.ConsentID != "" {
			c.post("/v1/consents/"+r.ConsentID+"/decision", object{"user": "ada", "decision": "grant"})
		}
		if r.Status != "pending" {
			c.made++
		}
		states = append(states, r.Status)
	}
	return states
}

// use sends calls of many kinds for two minutes, a dozen a second: plain calls, calls that
// fail, a script of a model that is killed once, calls that need consent, a scheduled task,
// requests with a wrong key, and calls that wait because their pool is paused, until waited
// reports that Prometheus has their age.
func (c *client) use(stack compose, waited func() bool) {
	c.t.Helper()
	calculate := object{"tool": "calculate", "arguments": object{"expression": "15% of 80"}}
	c.call(30_000, object{"tool": "create_tool", "arguments": object{
		"name": "spin", "description": "Runs until it is killed or returns its argument.",
		"parameters": `{"type":"object","properties":{"for":{"type":"boolean"}}}`, "code": "while (args.for) {}; return 1",
	}})
	c.call(30_000, object{"tool": "create_scheduled_task", "arguments": object{
		"name": "sum", "schedule": time.Now().Add(20 * time.Second).UTC().Format(time.RFC3339), "toolName": "calculate",
		"toolArgs": object{"expression": "1+1"},
	}})
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for n := range 90 {
		calls := []object{}
		for range 10 {
			calls = append(calls, calculate)
		}
		calls = append(calls, object{"tool": "spin", "arguments": object{"for": n == 30}})
		if n%10 == 0 {
			calls = append(calls, object{"tool": "calculate", "arguments": object{"expression": "1/"}},
				object{"tool": "write_file", "arguments": object{"path": "note.txt", "content": "text"}})
		}
		if res := c.send("/v1/execute", "hk_wrong", object{}); res.Body.Close() != nil || res.StatusCode != http.StatusUnauthorized {
			c.t.Fatalf("with a wrong key: %s", res.Status)
		}
		if n%10 == 5 {
			calls = append(calls, object{"tool": "delete_file", "arguments": object{"path": "note.txt"}})
		}
		for i, state := range c.call(10_000, calls...) {
			if i < 10 && state != "success" {
				c.t.Errorf("call %d of second %d ended with %s", i, n, state)
			}
		}
		<-tick.C
	}
	if out, err := stack.helve(c.key, "workers", "pause", "--pool", "default"); err != nil {
		c.t.Fatalf("workers pause: %v: %s", err, out)
	}
	c.call(0, calculate, calculate)
	stack.await("Prometheus to see waiting calls", waited)
	if out, err := stack.helve(c.key, "workers", "resume", "--pool", "default"); err != nil {
		c.t.Fatalf("workers resume: %v: %s", err, out)
	}
	for range 20 {
		c.call(10_000, calculate)
	}
}
