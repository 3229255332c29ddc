package calls

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestDelivered: each element of a request is sent once, as calls.get returns it, and with a
// signature that the published key verifies. A call that is sent again sends nothing.
func TestDelivered(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{Dispatchers: 2})
	for i, d := range []system.Door{s.HTTP(0), s.HTTP(1), s.NATS()} {
		path := fmt.Sprintf("/hook%d", i)
		calls := fmt.Sprintf(`{%s, "calls": [{"call_id": "a%d", "tool": "debug.echo", "arguments": {"value": "x"}}, {"call_id": "b%d", "tool": "debug.fail", "arguments": {"how": "error"}}]}`, r.to(path), i, i)
		answered := system.Execute(t, d, "acme", calls).Results
		for _, p := range r.await(t, path, 2) {
			verifyCallback(t, s.HTTP(1-i%2), p)
			if stored := d.Ask(t, "acme", "calls.get", map[string]string{"call_id": p.element.CallID}, ""); !bytes.Equal(stored.Body, p.body) &&
				!bytes.Equal(bytes.TrimSpace(stored.Body), p.body) {
				t.Errorf("sent:\n%s\nstored:\n%s", p.body, stored.Body)
			}
			if p.header.Get("Content-Type") != "application/json" || !strings.HasPrefix(p.header.Get("User-Agent"), "helve/") {
				t.Errorf("headers: %v", p.header)
			}
		}
		again := system.Execute(t, d, "acme", calls).Results
		if answered[0].Status != "success" || again[1].ErrorType != "execution_error" {
			t.Errorf("answers: %v, %v", answered, again)
		}
	}
	// Whatever else was to be sent would have been before this.
	system.Execute(t, s.HTTP(0), "acme", `{`+r.to("/last")+`, "calls": [{"tool": "debug.echo", "arguments": {"value": "last"}}]}`)
	last := r.await(t, "/last", 1)
	system.WantResult(t, last[0].element, `"last"`)
	for i := range 3 {
		if n := len(r.at(fmt.Sprintf("/hook%d", i))); n != 2 {
			t.Errorf("receiver %d got %d callbacks, want 2", i, n)
		}
	}
}

// TestSentAgain: until the receiver answers 2xx; a redirect is not followed, and is a
// failure.
func TestSentAgain(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{})
	r.answer("/hook",
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/elsewhere", http.StatusTemporaryRedirect)
		},
	)
	e := system.Execute(t, s.HTTP(0), "acme", `{`+r.to("/hook")+`, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`).Results[0]
	posts := r.await(t, "/hook", 4)
	for _, p := range posts {
		verifyCallback(t, s.HTTP(0), p)
		if p.element.CallID != e.CallID || !bytes.Equal(p.body, posts[0].body) {
			t.Errorf("sent: %s", p.body)
		}
	}
	system.Eventually(t, "it is delivered", func() bool { return s.Metric(t, `helve_callbacks_total{outcome="delivered"}`) == 1 })
	if n := len(r.at("/elsewhere")); n != 0 || len(r.at("/hook")) != 4 {
		t.Errorf("%d requests followed a redirect, %d were made, want 0 and 4", n, len(r.at("/hook")))
	}
	if log := s.Logs.String(); !strings.Contains(log, "callback not delivered") || strings.Contains(log, "/hook") {
		t.Error("the log has no failure, or the path of the URL")
	}
}

// TestCommandLine: a call of the command line has its result sent too.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{})
	code, out, complaints := system.Command(t, nil, "call", "debug.echo", "value=7", "--callback", r.URL+"/hook", "--server", s.URLs[0])
	if code != 0 {
		t.Fatalf("helve call = %d %s %s", code, out, complaints)
	}
	verifyCallback(t, s.HTTP(0), r.await(t, "/hook", 1)[0])
	code, _, complaints = system.Command(t, nil, "call", "debug.echo", "value=7", "--callback", "http://other.example", "--server", s.URLs[0])
	if code == 0 || !strings.Contains(complaints, "callbacks.allowed_hosts") {
		t.Errorf("helve call to another host = %d %s", code, complaints)
	}
}

// TestMetrics: what waits, and for how long, is reported.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{})
	refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }
	r.answer("/hook", refuse, refuse, refuse)
	const waits, due, lag = `helve_callbacks_waiting{state="waits"}`, `helve_callbacks_waiting{state="due"}`, "helve_callback_lag_seconds"
	e := system.Execute(t, s.HTTP(0), "acme",
		`{"context": {"user": "u1"}, `+r.to("/hook")+`, "calls": [{"tool": "debug.guarded", "arguments": {"key": "k"}}]}`).Results[0]
	system.Eventually(t, "a call waits", func() bool { return s.Metric(t, waits) == 1 && s.Metric(t, due) == 0 && s.Metric(t, lag) == 0 })
	system.Grant(t, s.HTTP(0), "acme", e.ConsentID)
	system.Eventually(t, "its result waits", func() bool { return s.Metric(t, waits) == 0 && s.Metric(t, due) == 1 && s.Metric(t, lag) > 0 })
	r.await(t, "/hook", 4)
	system.Eventually(t, "nothing waits", func() bool { return s.Metric(t, due) == 0 && s.Metric(t, lag) == 0 })
}

// TestCallbackOfLargeResult: the result is in the element, as over HTTP.
func TestCallbackOfLargeResult(t *testing.T) {
	t.Parallel()
	s, r := launchReceiver(t, system.Plan{})
	for i, size := range []int{300 << 10, 3 << 20} {
		path := fmt.Sprintf("/hook%d", i)
		system.Execute(t, s.HTTP(0), "acme", fmt.Sprintf(`{%s, "calls": [{"tool": "debug.blob", "arguments": {"bytes": %d}}]}`, r.to(path), size))
		p := r.await(t, path, 1)[0]
		verifyCallback(t, s.HTTP(0), p)
		if p.element.Status != "success" || len(p.element.Result) < size {
			t.Errorf("sent %d bytes with a result of %d: %.200s", len(p.body), len(p.element.Result), p.body)
		}
	}
	system.Eventually(t, "the results are removed", func() bool {
		n := len(s.StoredMessages(t, "HELVE_CALLBACKS", "helve.v1.*.callback.*.*.*.*"))
		return n == 0 && len(s.StoredMessages(t, "HELVE_CALLBACKS", "")) == 2
	})
}
