package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/telemetry"
)

var someTask = timers.Task{Tenant: "acme", Pool: "default", Person: "ann", ID: "k3f9"}

// stage is a runner over NATS, with a worker and a dispatcher that the test plays.
type stage struct {
	q *queue.Queue

	mu       sync.Mutex
	requests []timers.Request
	made     []dispatch.Request
	// work is the answer to a claim; execute makes calls.
	work    func() (timers.Work, error)
	execute func(dispatch.Request) (dispatch.Response, error)
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{q: queuetest.Connect(t, queuetest.Server(t))}
	ctx := queuetest.Context(t)
	err := s.q.Timers.ServeTasks(ctx, "default", func(_ context.Context, _ timers.Task, r timers.Request) (timers.Work, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, r)
		if len(r.Ended) > 0 {
			return timers.Work{}, nil
		}
		return s.work()
	})
	if err != nil {
		t.Fatal(err)
	}
	err = Start(ctx,
		Options{Queue: s.q, Restored: func() {}, Metrics: telemetry.NewMetrics(), Log: zap.NewNop(),
			Execute: func(_ context.Context, r dispatch.Request) (dispatch.Response, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.made = append(s.made, r)
				return s.execute(r)
			}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fire has the task looked at now.
func (s *stage) fire(t *testing.T) {
	t.Helper()
	if err := s.q.Timers.Set(queuetest.Context(t), someTask, time.Now()); err != nil {
		t.Fatal(err)
	}
}

// outcomes returns the outcomes that the worker was told.
func (s *stage) outcomes() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		for _, e := range r.Ended {
			all = append(all, e.CallID+"="+e.Error)
		}
	}
	return all
}

func (s *stage) calls() []dispatch.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]dispatch.Request(nil), s.made...)
}

func element(text string) json.RawMessage { return json.RawMessage(text) }

func answer(elements ...string) dispatch.Response {
	var res dispatch.Response
	for _, e := range elements {
		res.Results = append(res.Results, element(e))
	}
	return res
}

// TestLook: the runs of a task are made in the person's name, and outcomes are stored.
func TestLook(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	now := time.Now()
	s.work = func() (timers.Work, error) {
		return timers.Work{Wake: now.Add(time.Hour), Runs: []timers.Run{
			{CallID: "s-k3f9-1", Tool: "add_note", Arguments: []byte(`{"title":"x"}`), Agent: "helper", Timezone: "Asia/Tokyo", Due: now, Started: now, First: true},
			{CallID: "s-k3f9-2", Tool: "add_note", Agent: "helper", Low: true, Due: now, Started: now},
		}}, nil
	}
	s.execute = func(dispatch.Request) (dispatch.Response, error) {
		return answer(`{"status":"success","attempt":1}`,
			`{"status":"error","error_type":"tool_not_found","message":"Tool 'add_note' not found"}`), nil
	}
	s.fire(t)
	queuetest.Until(t, "both outcomes are stored", func() bool { return len(s.outcomes()) == 2 })
	if diff := cmp.Diff([]string{"s-k3f9-1=", "s-k3f9-2=tool_not_found: Tool 'add_note' not found"}, s.outcomes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := dispatch.Request{Tenant: "acme", User: "ann", Agent: "helper", Conversation: "schedule-k3f9", Timezone: "Asia/Tokyo", Via: "schedule", Wait: wait,
		Calls: []dispatch.Call{
			{Call: call.Call{ID: "s-k3f9-1", Tool: "add_note", Arguments: []byte(`{"title":"x"}`), Waits: true}},
			{Call: call.Call{ID: "s-k3f9-2", Tool: "add_note", Waits: true, Priority: "batch"}},
		}}
	if diff := cmp.Diff([]dispatch.Request{want}, s.calls(), cmpopts.IgnoreUnexported(dispatch.Call{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLookAgain: what has not ended, or was not accepted, is made again under its id; so is
// a run that failed on the way.
func TestLookAgain(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func() (dispatch.Response, error){
		"pending":    func() (dispatch.Response, error) { return answer(`{"status":"pending","state":"running"}`), nil },
		"overloaded": func() (dispatch.Response, error) { return answer(`{"status":"error","error_type":"overloaded"}`), nil },
		"no nats":    func() (dispatch.Response, error) { return dispatch.Response{}, errors.New("no nats") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.work = func() (timers.Work, error) {
				return timers.Work{Runs: []timers.Run{{CallID: "s-k3f9-1", Tool: "add_note", Started: time.Now()}}}, nil
			}
			tries := 0
			s.execute = func(dispatch.Request) (dispatch.Response, error) {
				if tries++; tries == 1 {
					return first()
				}
				return answer(`{"status":"success","attempt":1}`), nil
			}
			s.fire(t)
			queuetest.Until(t, "the outcome is stored", func() bool { return len(s.outcomes()) == 1 })
			if made := s.calls(); len(made) != 2 || made[0].Calls[0].ID != made[1].Calls[0].ID {
				t.Errorf("made %+v, want one call, twice", made)
			}
		})
	}
}

// TestWorkersAway: a task that no worker can read is looked at later.
func TestWorkersAway(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	asked := 0
	s.work = func() (timers.Work, error) {
		if asked++; asked == 1 {
			return timers.Work{}, errors.New("the database is away")
		}
		return timers.Work{Runs: []timers.Run{{CallID: "s-k3f9-1", Tool: "add_note"}}}, nil
	}
	s.execute = func(dispatch.Request) (dispatch.Response, error) {
		return answer(`{"status":"success","attempt":1}`), nil
	}
	s.fire(t)
	queuetest.Until(t, "the outcome is stored", func() bool { return len(s.outcomes()) == 1 })
}

func TestOutcome(t *testing.T) {
	for element, want := range map[string]string{
		`{"status":"success","attempt":1}`:                                                `"" true`,
		`{"status":"pending","state":"awaiting_consent","consent_id":"c"}`:                `"" false`,
		`{"status":"error","error_type":"rate_limited","message":"wait"}`:                 `"" false`,
		`{"status":"error","error_type":"rate_limited","message":"wait","attempt":1}`:     `"rate_limited: wait" true`,
		`{"status":"error","error_type":"permission_denied","message":"no","attempt":1}`:  `"permission_denied: no" true`,
		`{"status":"error","error_type":"validation_error","message":"title is missing"}`: `"validation_error: title is missing" true`,
		`{"status":"error","error_type":"internal","message":"could not be confirmed"}`:   `"" false`,
		`{"status":"error","error_type":"internal","message":"a panic","attempt":2}`:      `"internal: a panic" true`,
	} {
		failure, done, err := outcome([]byte(element))
		if got := fmt.Sprintf("%q %v", failure, done); got != want || err != nil {
			t.Errorf("outcome(%s) = %s, %v, want %s", element, got, err, want)
		}
	}
	if _, _, err := outcome([]byte("{")); err == nil {
		t.Error("an element that is no JSON has an outcome")
	}
}
