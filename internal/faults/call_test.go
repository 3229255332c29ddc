package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// call is one call, as PROTOCOL section 4 writes it.
type call struct {
	ID     string         `json:"call_id,omitempty"`
	Tool   string         `json:"tool"`
	Args   map[string]any `json:"arguments"`
	tenant string
}

const defaultTenant = "default"

// sleeper is an idempotent call.
func (w *world) sleeper(id string, ms int) *call {
	return w.call(defaultTenant, id, "debug.sleep", map[string]any{"ms": ms})
}

// writer is a call with a side effect that cannot be repeated.
func (w *world) writer(id string, beforeMS, afterMS int) *call {
	return w.call(defaultTenant, id, "debug.effect", map[string]any{"key": "k", "before_ms": beforeMS, "after_ms": afterMS})
}

func (w *world) call(tenant, id, tool string, args map[string]any) *call {
	c := &call{ID: id, Tool: tool, Args: args, tenant: tenant}
	w.calls = append(w.calls, c)
	return c
}

// element is a result element, as far as these tests look at it.
type element struct {
	CallID    string          `json:"call_id"`
	Status    string          `json:"status"`
	State     string          `json:"state"`
	ErrorType string          `json:"error_type"`
	Message   string          `json:"message"`
	Result    json.RawMessage `json:"result"`
	Attempt   int             `json:"attempt"`
	Worker    string          `json:"worker"`
}

// outcome is "success" or the error type.
func (e *element) outcome() string {
	if e.Status == "error" {
		return e.ErrorType
	}
	return e.Status
}

func (e *element) ended() bool { return e.Status == "success" || e.Status == "error" }

// same reports whether two elements tell the same end of a call.
func (e *element) same(o *element) bool {
	return e.CallID == o.CallID && e.outcome() == o.outcome() && e.Message == o.Message &&
		e.Worker == o.Worker && e.Attempt == o.Attempt && bytes.Equal(e.Result, o.Result)
}

// answer is what came of one request.
type answer struct {
	status   int // 0: none came
	elements []element
	err      error
}

// patient outlives the longest wait that is asked for.
var patient = &http.Client{Timeout: patience}

// execute sends calls of one tenant in one request.
func (d door) execute(wait time.Duration, calls ...*call) answer {
	body, err := json.Marshal(map[string]any{"calls": calls, "wait_ms": wait.Milliseconds()})
	if err != nil {
		return answer{err: err}
	}
	var got struct {
		Results []element `json:"results"`
	}
	status, err := request(http.MethodPost, d.url+"/v1/execute", calls[0].tenant, body, &got)
	if err == nil && status == http.StatusOK && len(got.Results) != len(calls) {
		err = fmt.Errorf("%d results for %d calls", len(got.Results), len(calls))
	}
	return answer{status, got.Results, err}
}

// send is execute on its own goroutine.
func (d door) send(wait time.Duration, calls ...*call) <-chan answer {
	got := make(chan answer, 1)
	go func() { got <- d.execute(wait, calls...) }()
	return got
}

// get asks for the state of a call.
func (d door) get(c *call) (element, int) {
	var e element
	status, err := request(http.MethodGet, d.url+"/v1/calls/"+c.ID, c.tenant, nil, &e)
	if err != nil {
		return element{}, 0
	}
	return e, status
}

// cancel asks for the end of a call.
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

// ready is the status of /readyz, 0 if nobody answers.
func ready(url string) int {
	status, err := request(http.MethodGet, url+"/readyz", defaultTenant, nil, nil)
	if err != nil {
		return 0
	}
	return status
}

func request(method, url, tenant string, body []byte, into any) (int, error) {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
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
	if res.StatusCode != http.StatusOK || into == nil {
		return res.StatusCode, nil
	}
	return res.StatusCode, json.Unmarshal(data, into)
}
