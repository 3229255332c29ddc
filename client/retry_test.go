package client

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// echo answers each call of a request with what of makes of it.
func echo(a asked, of func(id string) string) reply {
	var results []string
	for _, call := range a.body["calls"].([]any) {
		id, _ := call.(map[string]any)["call_id"].(string)
		results = append(results, fmt.Sprintf(`{"call_id":%q,"tool":"x",%s}`, id, of(id)))
	}
	return reply{body: `{"trace_id":"t","results":[` + strings.Join(results, ",") + `]}`}
}

const (
	success  = `"status":"success","result":1`
	refused  = `"status":"error","error_type":"overloaded","message":"full"`
	running  = `"status":"pending","state":"running"`
	awaiting = `"status":"pending","state":"awaiting_consent","consent_id":"k"`
)

func ids(a asked) string {
	var ids []string
	for _, call := range a.body["calls"].([]any) {
		id, _ := call.(map[string]any)["call_id"].(string)
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

// TestRetry has a server that is not ready, then refuses one call, then leaves
// one running, and then answers.
func TestRetry(t *testing.T) {
	var n atomic.Int32
	answer := func(a asked) reply {
		step := n.Add(1)
		return [](func() reply){
			func() reply { return reply{503, `{"error_type":"unavailable","detail":"not ready"}`, "0.01"} },
			func() reply {
				return echo(a, func(id string) string {
					return map[string]string{"mine": refused}[id] + map[bool]string{true: running}[id != "mine"]
				})
			},
			func() reply {
				return echo(a, func(id string) string {
					return map[string]string{"mine": running}[id] + map[bool]string{true: success}[id != "mine"]
				})
			},
			func() reply { return echo(a, func(string) string { return success }) },
		}[min(int(step), 4)-1]()
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, answer)
			n.Store(0)
			resp, err := connect(t, f, WithRetry()).Execute(t.Context(), Request{Calls: []Call{{Tool: "x"}, {Tool: "x", ID: "mine"}}})
			if err != nil {
				t.Fatal(err)
			}
			made := resp.Results[0].CallID
			if !callIDPattern.MatchString(made) || resp.Results[1].CallID != "mine" {
				t.Fatalf("results are of %q and %q, want a made id and mine", made, resp.Results[1].CallID)
			}
			for i, r := range resp.Results {
				if r.Status != StatusSuccess {
					t.Errorf("result %d is %+v, want success", i, r)
				}
			}
			want := []string{made + " mine", made + " mine", made + " mine", "mine"}
			for i, a := range f.seen {
				if got := ids(a); i >= len(want) || got != want[i] {
					t.Errorf("attempt %d sent %q, want those of %q", i, got, want)
				}
				if a.body["trace_id"] != resp.TraceID {
					t.Errorf("attempt %d is of trace %v, want %s", i, a.body["trace_id"], resp.TraceID)
				}
			}
			if len(f.seen) != len(want) {
				t.Errorf("%d attempts, want %d", len(f.seen), len(want))
			}
		})
	}
}

func TestNoRetry(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, func(asked) reply { return reply{503, `{"error_type":"unavailable"}`, "1"} })
			c := connect(t, f)
			if _, err := c.Execute(t.Context(), Request{Calls: []Call{{Tool: "x"}}}); err == nil {
				t.Errorf("Execute of a server that is not ready succeeded")
			}
			if _, err := c.Groups(t.Context()); err == nil {
				t.Errorf("Groups of a server that is not ready succeeded")
			}
			if f.count() != 2 {
				t.Errorf("%d requests were sent, want 2", f.count())
			}
			if id, there := f.seen[0].body["calls"].([]any)[0].(map[string]any)["call_id"]; there {
				t.Errorf("call_id %v was made, want none", id)
			}
		})
	}
}

func TestRetrySettles(t *testing.T) {
	for _, tt := range []struct {
		name, element string
		req           Request
		want          string
	}{
		{"no wait", running, Request{Wait: NoWait}, StatusPending},
		{"wait over", running, Request{Wait: time.Millisecond}, StatusPending},
		{"a person decides", awaiting, Request{}, StatusPending},
		{"a person decides in time", awaiting, Request{Wait: time.Millisecond, Consent: ConsentWait}, StatusPending},
		{"an error is an answer", `"status":"error","error_type":"timeout","message":"slow"`, Request{}, StatusError},
	} {
		f := farHTTP(t, func(a asked) reply { return echo(a, func(string) string { return tt.element }) })
		tt.req.Calls = []Call{{Tool: "x"}}
		resp, err := connect(t, f, WithRetry()).Execute(t.Context(), tt.req)
		if err != nil || resp.Results[0].Status != tt.want {
			t.Errorf("%s: Execute = %+v, %v, want %s", tt.name, resp, err, tt.want)
		}
	}
}

// TestRetryGivesUp ends the context when the second attempt arrives.
func TestRetryGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var down, full *far
	down = farHTTP(t, func(asked) reply {
		if down.count() == 2 {
			cancel()
		}
		return reply{503, `{"error_type":"unavailable","detail":"draining"}`, ""}
	})
	_, err := connect(t, down, WithRetry()).Groups(ctx)
	if want := "context canceled; the last attempt failed: unavailable: draining"; !errors.Is(err, context.Canceled) || err.Error() != want {
		t.Errorf("Groups = %v, want %s", err, want)
	}
	ctx, cancel = context.WithCancel(t.Context())
	full = farHTTP(t, func(a asked) reply {
		if full.count() == 2 {
			cancel()
		}
		r := echo(a, func(string) string { return refused })
		r.status, r.retryAfter = 503, "0.01"
		return r
	})
	resp, err := connect(t, full, WithRetry()).Execute(ctx, Request{Calls: []Call{{Tool: "x"}}})
	if err != nil || resp.Results[0].ErrorType != tool.Overloaded || resp.RetryAfter != 10*time.Millisecond {
		t.Errorf("Execute of a full server = %+v, %v, want the overloaded result", resp, err)
	}
	gone := farHTTP(t, func(asked) reply { return reply{404, `{"error_type":"not_found"}`, ""} })
	if _, err := connect(t, gone, WithRetry()).Get(t.Context(), "c"); err == nil || gone.count() != 1 {
		t.Errorf("Get of an unknown call = %v after %d attempts, want one", err, gone.count())
	}
}

// TestRetryFor has a bound that is over before the second attempt.
func TestRetryFor(t *testing.T) {
	for name, ask := range map[string]func(*Client) error{
		"a plain request": func(c *Client) error { _, err := c.Groups(t.Context()); return err },
		"calls": func(c *Client) error {
			_, err := c.Execute(t.Context(), Request{Calls: []Call{{Tool: "x"}}})
			return err
		},
		"a message": func(c *Client) error {
			_, err := c.Execute(t.Context(), Request{Format: "openai", Message: stdjson.RawMessage(`{}`)})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			down := farHTTP(t, func(asked) reply { return reply{503, `{"error_type":"unavailable","detail":"draining"}`, ""} })
			err := ask(connect(t, down, WithRetryFor(time.Nanosecond)))
			if e, ok := errors.AsType[*RequestError](err); !ok || e.Type != Unavailable || down.count() != 1 {
				t.Errorf("error %v after %d attempts, want the server's own after one", err, down.count())
			}
		})
	}
}

// TestRetryLostConnection cuts the connection under a request that arrived.
func TestRetryLostConnection(t *testing.T) {
	var cut atomic.Bool
	f := farHTTP(t, func(a asked) reply {
		if !cut.Swap(true) {
			panic(http.ErrAbortHandler)
		}
		return echo(a, func(string) string { return success })
	})
	r, err := connect(t, f, WithRetry()).Call(t.Context(), "x", nil)
	if err != nil || r.Status != StatusSuccess || f.count() != 2 || ids(f.seen[0]) != ids(f.seen[1]) {
		t.Errorf("Call = %+v, %v after %d attempts, want success by the same call_id", r, err, f.count())
	}
}

func TestClosed(t *testing.T) {
	f := farNATS(t, always(`{}`))
	c := connect(t, f, WithRetry())
	c.Close()
	if _, err := c.Groups(t.Context()); err == nil {
		t.Errorf("Groups of a closed client succeeded")
	}
	for _, err := range c.Events(t.Context(), strings.Repeat("0", 32)) {
		if err == nil {
			t.Errorf("Events of a closed client yield")
		}
	}
}

func TestBackoff(t *testing.T) {
	for attempt, bounds := range map[int][2]time.Duration{
		0:       {50 * time.Millisecond, 100 * time.Millisecond},
		1:       {100 * time.Millisecond, 200 * time.Millisecond},
		5:       {1600 * time.Millisecond, 3200 * time.Millisecond},
		6:       {2500 * time.Millisecond, 5 * time.Second},
		1000000: {2500 * time.Millisecond, 5 * time.Second},
	} {
		for range 100 {
			if d := backoff(attempt, 0); d < bounds[0] || d >= bounds[1] {
				t.Errorf("backoff(%d) = %v, want within %v", attempt, d, bounds)
			}
		}
	}
	if d := backoff(0, 7*time.Second); d != 7*time.Second {
		t.Errorf("backoff with a hint of 7 s = %v", d)
	}
	if d := backoff(0, time.Hour); d != longestHint {
		t.Errorf("backoff with a hint of an hour = %v, want %v", d, longestHint)
	}
}
