package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// element is one result element of the protocol.
type element struct {
	CallID     string          `json:"call_id"`
	ToolCallID string          `json:"tool_call_id"`
	TraceID    string          `json:"trace_id"`
	Tool       string          `json:"tool"`
	Status     string          `json:"status"`
	State      string          `json:"state"`
	ConsentID  string          `json:"consent_id"`
	Result     json.RawMessage `json:"result"`
	ResultRef  *reference      `json:"result_ref"`
	TextRef    *reference      `json:"text_ref"`
	Text       string          `json:"text"`
	ErrorType  string          `json:"error_type"`
	Message    string          `json:"message"`
	Truncated  bool            `json:"truncated"`
	Attempt    int             `json:"attempt"`
	Worker     string          `json:"worker"`
	Metadata   map[string]any  `json:"metadata"`
}

// reference names an object of the bucket HELVE_RESULTS.
type reference struct {
	Object string `json:"object"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// String is what a failed test shows.
func (e element) String() string {
	result := string(e.Result)
	if len(result) > 200 {
		result = result[:200] + "…"
	}
	return fmt.Sprintf("{%s %s: %s%s %s %s %s %v}", e.Tool, e.CallID, e.Status, e.State, e.ErrorType, e.Message, result, e.Metadata)
}

// answer is what execute answers, and what a problem says.
type answer struct {
	TraceID   string    `json:"trace_id"`
	Results   []element `json:"results"`
	ErrorType string    `json:"error_type"`
	Status    int       `json:"status"`
}

func decode[T any](t testing.TB, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("status %d, body %.300q: %v", r.status, r.body, err)
	}
	return v
}

// execute sends a body that must be understood and returns the answer.
func execute(t testing.TB, d door, tenant, body string) answer {
	t.Helper()
	r := d.ask(t, tenant, "execute", nil, body)
	if r.status != 200 {
		t.Fatalf("execute = %d %.300s, want 200", r.status, r.body)
	}
	return decode[answer](t, r)
}

// together executes calls, given as JSON objects, and returns their elements.
func together(t testing.TB, d door, tenant string, calls ...string) []element {
	t.Helper()
	a := execute(t, d, tenant, `{"calls": [`+strings.Join(calls, ",")+`]}`)
	if len(a.Results) != len(calls) {
		t.Fatalf("%d calls got %d results", len(calls), len(a.Results))
	}
	return a.Results
}

// one is the element of a single call.
func one(t testing.TB, d door, tenant, call string) element {
	t.Helper()
	return together(t, d, tenant, call)[0]
}

// queue sends one call and does not wait for it.
func queue(t testing.TB, d door, tenant, call string) element {
	t.Helper()
	return execute(t, d, tenant, `{"wait_ms": 0, "calls": [`+call+`]}`).Results[0]
}

// byID asks calls.get or calls.cancel for one call.
func byID(t testing.TB, d door, operation, tenant, callID string) element {
	t.Helper()
	r := d.ask(t, tenant, operation, map[string]string{"call_id": callID}, "")
	if r.status != 200 {
		t.Fatalf("%s %s = %d %.300s, want 200", operation, callID, r.status, r.body)
	}
	return decode[element](t, r)
}

// settled follows a call with calls.get until it is done.
func settled(t testing.TB, d door, tenant, callID string) (e element) {
	t.Helper()
	eventually(t, callID+" is done", func() bool {
		e = byID(t, d, "calls.get", tenant, callID)
		return e.State == "done"
	})
	return e
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	// Looking is work, too, of which many tests at once do a lot: the longer
	// something takes, the less often it is looked for.
	const first, last = 5 * time.Millisecond, 100 * time.Millisecond
	end := time.Now().Add(patience)
	for pace := first; !ok(); pace = min(pace*5/4, last) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
		<-time.After(pace)
	}
}

var tenants atomic.Int64

// newTenant returns a tenant nobody else has.
func newTenant() string { return fmt.Sprintf("tenant-%d", tenants.Add(1)) }

// wantError checks how a call ended.
func wantError(t testing.TB, e element, errorType, message string) {
	t.Helper()
	if e.Status != "error" || e.ErrorType != errorType || !strings.Contains(e.Message, message) {
		t.Errorf("the call ended as %v, want error %s with %q", e, errorType, message)
	}
}

func wantResult(t testing.TB, e element, result string) {
	t.Helper()
	if e.Status != "success" || string(e.Result) != result {
		t.Errorf("the call ended as %v, want success %s", e, result)
	}
}
