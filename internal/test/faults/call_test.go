package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// call is one call, in the form of docs/protocol.md, execute.
type call struct {
	ID   string         `json:"call_id,omitempty"`
	Tool string         `json:"tool"`
	Args map[string]any `json:"arguments"`
	// Waits queues the call even while there are no workers.
	Waits  bool `json:"wait_for_worker,omitempty"`
	tenant string
	user   string // the person it is made for; empty for none
}

const defaultTenant = "default"

// sleeper returns an idempotent call.
func (w *world) sleeper(id string, ms int) *call {
	return w.call(defaultTenant, id, "debug.sleep", map[string]any{"ms": ms})
}

// writer returns a call with a side effect that cannot be repeated.
func (w *world) writer(id string, beforeMS, afterMS int) *call {
	return w.call(defaultTenant, id, "debug.effect", map[string]any{"key": "k", "before_ms": beforeMS, "after_ms": afterMS})
}

func (w *world) call(tenant, id, tool string, args map[string]any) *call {
	c := &call{ID: id, Tool: tool, Args: args, Waits: true, tenant: tenant}
	w.calls = append(w.calls, c)
	return c
}

// element is the part of a result element that these tests read.
type element struct {
	CallID    string          `json:"call_id"`
	Status    string          `json:"status"`
	State     string          `json:"state"`
	ErrorType string          `json:"error_type"`
	Message   string          `json:"message"`
	Result    json.RawMessage `json:"result"`
	Attempt   int             `json:"attempt"`
	Worker    string          `json:"worker"`
	Notes     []string        `json:"notes"`
}

// outcome returns "success" or the error type.
func (e *element) outcome() string {
	if e.Status == "error" {
		return e.ErrorType
	}
	return e.Status
}

func (e *element) ended() bool { return e.Status == "success" || e.Status == "error" }

// same reports whether two elements describe the same end of a call.
func (e *element) same(o *element) bool {
	return e.CallID == o.CallID && e.outcome() == o.outcome() && e.Message == o.Message &&
		e.Worker == o.Worker && e.Attempt == o.Attempt && bytes.Equal(e.Result, o.Result)
}

// answer is the response to one request.
type answer struct {
	status   int // 0: no response
	elements []element
	detail   string // of a refusal
	err      error
}

// patient has no timeout, so it outlasts the longest requested wait.
var patient = &http.Client{}

// execute sends calls of one tenant in one request.
func (d door) execute(wait time.Duration, calls ...*call) answer {
	req := map[string]any{"calls": calls, "wait_ms": wait.Milliseconds()}
	if calls[0].user != "" {
		req["context"] = map[string]string{"user": calls[0].user}
	}
	body, err := json.Marshal(req)
	if err != nil {
		return answer{err: err}
	}
	var got struct {
		Results []element `json:"results"`
		Detail  string    `json:"detail"`
	}
	status, err := request(http.MethodPost, d.url+"/v1/execute", calls[0].tenant, body, &got)
	if err == nil && status == http.StatusOK && len(got.Results) != len(calls) {
		err = fmt.Errorf("%d results for %d calls", len(got.Results), len(calls))
	}
	return answer{status, got.Results, got.Detail, err}
}

// send is execute on its own goroutine.
func (d door) send(wait time.Duration, calls ...*call) <-chan answer {
	got := make(chan answer, 1)
	go func() { got <- d.execute(wait, calls...) }()
	return got
}

// get requests the state of a call.
func (d door) get(c *call) (element, int) {
	var e element
	status, err := request(http.MethodGet, d.url+"/v1/calls/"+c.ID, c.tenant, nil, &e)
	if err != nil {
		return element{}, 0
	}
	return e, status
}

// cancel requests the end of a call.
func (d door) cancel(c *call) (element, int) {
	var e element
	status, err := request(http.MethodPost, d.url+"/v1/calls/"+c.ID+"/cancel", c.tenant, nil, &e)
	if err != nil {
		return element{}, 0
	}
	return e, status
}

// settle sends a call again, with the same call_id, until it has ended.
func (d door) settle(t *testing.T, c *call) element {
	t.Helper()
	const wait = 10 * time.Second
	var last answer
	await(t, "the end of "+c.ID, func() bool {
		last = d.execute(wait, c)
		return last.status == http.StatusOK && last.err == nil && last.elements[0].ended()
	})
	return last.elements[0]
}

// ready returns the status of /readyz, 0 without an answer.
func ready(url string) int {
	status, err := request(http.MethodGet, url+"/readyz", defaultTenant, nil, nil)
	if err != nil {
		return 0
	}
	return status
}

func request(method, url, tenant string, body []byte, into any) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Helve-Tenant", tenant)
	res, err := patient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	if into == nil {
		return res.StatusCode, nil
	}
	if res.StatusCode != http.StatusOK {
		_ = json.Unmarshal(data, into) // if every call is refused, their elements are in the problem
		return res.StatusCode, nil
	}
	return res.StatusCode, json.Unmarshal(data, into)
}
