package program

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/tool"
)

// echoes is the calls of a dispatcher: each step returns its arguments.
type echoes struct{ made chan dispatch.Request }

func (e echoes) Execute(_ context.Context, req dispatch.Request) (dispatch.Response, error) {
	if e.made != nil {
		e.made <- req
	}
	element := fmt.Sprintf(`{"status":"success","attempt":1,"result":%s}`, req.Calls[0].Arguments)
	return dispatch.Response{Results: []json.RawMessage{json.RawMessage(element)}}, nil
}

func (echoes) Cancel(context.Context, string, string) (json.RawMessage, error) {
	return json.RawMessage(`{"status":"error","error_type":"cancelled"}`), nil
}

func (echoes) Outcome(context.Context, string, string, queue.Acceptance) ([]byte, error) {
	return nil, nil
}

// opened returns a service over a NATS server, and a program that is stored.
func opened(t *testing.T, args string) (*Service, *call.Call) {
	t.Helper()
	ctx, q := queuetest.Context(t), queuetest.Connect(t, queuetest.Server(t))
	store, err := programs.Open(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(ctx, Options{
		Queue: q, Store: store, Log: zap.NewNop(), Hot: time.Millisecond, MaxPerson: 10, MaxTenant: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.calls = echoes{}
	c := &call.Call{
		ID: "p", Tenant: "acme", User: "ann", Pool: "default", Tool: RunProgram, Origin: "d-1", Arguments: []byte(args),
		AcceptedMS: time.Now().UnixMilli(),
	}
	if _, err := s.Begin(ctx, c, &tool.Definition{Name: RunProgram, Durable: true}); err != nil {
		t.Fatal(err)
	}
	return s, c
}

// turnOf opens a session of a program and returns how it asks.
func turnOf(t *testing.T, s *Service, c *call.Call) func(do, next string) peer.ProgramAnswer {
	t.Helper()
	r := peer.ProgramRequest{Tenant: c.Tenant, CallID: c.ID, Key: c.Program, Do: peer.ProgramOpen, Redelivered: true}
	a, err := s.answer(t.Context(), r)
	if err != nil || a.Session == 0 {
		t.Fatalf("opened: %+v, %v", a, err)
	}
	r.Session = a.Session
	return func(do, next string) peer.ProgramAnswer {
		t.Helper()
		r.Do, r.Next = do, json.RawMessage(next)
		a, err := s.answer(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}

const ended = `{"ended":true}`

const firstStep = `{"steps":[{"n":1,"tool":"echo","args":{"a":1},"line":7}]}`

// TestStrangerToAProgram: who does not have the key of a program gets nothing of it and changes
// nothing, also with the number of a session of another program.
func TestStrangerToAProgram(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"secret"}`)
	stranger := peer.ProgramRequest{Tenant: c.Tenant, CallID: c.ID, Key: strings.Repeat("0", 32), Do: peer.ProgramOpen}
	if a, err := s.answer(t.Context(), stranger); err != nil || a.Session != 0 || a.Kind == "" {
		t.Errorf("without the key: %+v, %v", a, err)
	}
	ask := turnOf(t, s, c)
	stranger.Session = 1
	for _, do := range []string{peer.ProgramNext, peer.ProgramClose} {
		stranger.Do, stranger.Next = do, json.RawMessage(firstStep)
		if a, err := s.answer(t.Context(), stranger); err != nil || !a.Again {
			t.Errorf("%s without the key: %+v, %v", do, a, err)
		}
	}
	if a := ask(peer.ProgramNext, firstStep); !strings.Contains(string(a.Events), `"step":1`) {
		t.Errorf("the turn itself: %+v", a)
	}
}

// TestOvertaken: of two turns of a program one goes on, and the other one stops where it would
// have shown its code something.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	first, second := turnOf(t, s, c), turnOf(t, s, c)
	if a := first(peer.ProgramNext, firstStep); a.Again || a.Kind != "" {
		t.Fatalf("the first turn: %+v", a)
	}
	first(peer.ProgramNext, ended) // what it was shown is stored
	made := make(chan dispatch.Request, 2)
	s.calls = echoes{made}
	second(peer.ProgramNext, firstStep)
	const another = `{"steps":[{"n":2,"tool":"echo","args":{"a":2},"line":8}]}`
	if a := second(peer.ProgramNext, another); !a.Again {
		t.Errorf("the second turn: %+v", a)
	}
	if len(made) != 1 {
		t.Errorf("the second turn made %d calls, want only the step that it joined", len(made))
	}
}

// TestFirstRequest: the request that opens a session may have what the code made, or its end; the
// worker knows the session before the step has an outcome.
func TestFirstRequest(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	made := make(chan dispatch.Request, 1)
	s.calls = echoes{made}
	r := peer.ProgramRequest{Tenant: c.Tenant, CallID: c.ID, Key: c.Program, Do: peer.ProgramOpen, Next: json.RawMessage(firstStep)}
	a, err := s.answer(t.Context(), r)
	if err != nil || !a.Idle || a.Session == 0 || !a.Fresh {
		t.Fatalf("opened with a step: %+v, %v", a, err)
	}
	if req := <-made; !req.Calls[0].Fresh {
		t.Error("the first step is searched for")
	}
	r.Do, r.Session, r.Next = peer.ProgramNext, a.Session, json.RawMessage(`{}`)
	if a, err = s.answer(t.Context(), r); err != nil || !strings.Contains(string(a.Events), `"step":1`) {
		t.Errorf("the step: %+v, %v", a, err)
	}
	r.Do, r.Session, r.Redelivered, r.Next = peer.ProgramOpen, 0, true, nil
	r.End = &peer.ProgramEnd{Result: json.RawMessage("1")}
	if a, err = s.answer(t.Context(), r); err != nil || a.End == nil || string(a.End.Result) != "1" {
		t.Errorf("opened with the end: %+v, %v", a, err)
	}
	if p, _, err := s.Store.Read(t.Context(), programs.Key{Tenant: c.Tenant, CallID: c.ID}); err != nil || p.State != durable.Done {
		t.Errorf("stored: %+v, %v", p, err)
	}
}

// TestDiverged: code that does something else when it runs again ends the program before it is
// called, with the line.
func TestDiverged(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]string{
		"tool":      `{"steps":[{"n":1,"tool":"other","args":{"a":1},"line":7}]}`,
		"arguments": `{"steps":[{"n":1,"tool":"echo","args":{"a":2},"line":7}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := opened(t, `{"code":"x"}`)
			first := turnOf(t, s, c)
			first(peer.ProgramNext, firstStep)
			first(peer.ProgramNext, ended)
			made := make(chan dispatch.Request, 1)
			s.calls = echoes{made}
			a := turnOf(t, s, c)(peer.ProgramNext, next)
			if a.Kind != string(tool.ExecutionError) || !strings.Contains(a.Message, "line 7") || len(made) > 0 {
				t.Errorf("answered %+v, called %d", a, len(made))
			}
		})
	}
}

// TestReplay: a turn shows its code what an earlier one has seen, and makes no step of it again.
func TestReplay(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	turn := turnOf(t, s, c)
	seen := turn(peer.ProgramNext, firstStep)
	turn(peer.ProgramNext, ended)
	made := make(chan dispatch.Request, 1)
	s.calls = echoes{made}
	again := turnOf(t, s, c)(peer.ProgramNext, firstStep)
	var first, second durable.Answer
	if json.Unmarshal(seen.Events, &first) != nil || json.Unmarshal(again.Events, &second) != nil || !second.Replay || len(made) > 0 {
		t.Fatalf("seen %s, again %s, called %d", seen.Events, again.Events, len(made))
	}
	if fmt.Sprint(first.Events) != fmt.Sprint(second.Events) {
		t.Errorf("seen %v, again %v", first.Events, second.Events)
	}
}

// TestNewSteps: a turn that takes a program over looks for the steps that the one before may have made, and
// for no later ones.
func TestNewSteps(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	made := make(chan dispatch.Request, 2)
	s.calls = echoes{made}
	ask := turnOf(t, s, c)
	for n, next := range []string{firstStep, `{"steps":[{"n":2,"tool":"echo","args":{"a":2},"line":8}]}`} {
		ask(peer.ProgramNext, next)
		if req := <-made; req.Calls[0].Fresh != (n == 1) {
			t.Errorf("step %d was made as new: %v", n+1, req.Calls[0].Fresh)
		}
	}
}

// TestStepsKeepTheirParent: the steps of a program, and its call for a further turn, have the
// traceparent that it was stored with, also for a process that has read it from there.
func TestStepsKeepTheirParent(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	s, c := opened(t, `{"code":"x"}`)
	stored, revision, err := s.Store.Read(t.Context(), programs.Key{Tenant: c.Tenant, CallID: c.ID})
	if err != nil {
		t.Fatal(err)
	}
	stored.Traceparent = parent
	if err := s.Store.Change(t.Context(), programs.Key{Tenant: c.Tenant, CallID: c.ID}, stored, revision); err != nil {
		t.Fatal(err)
	}
	made := make(chan dispatch.Request, 1)
	s.calls = echoes{made}
	turnOf(t, s, c)(peer.ProgramNext, firstStep)
	if step := <-made; step.Traceparent != parent || stored.CallFor(3).Traceparent != parent {
		t.Errorf("the step is below %q, the next turn below %q", step.Traceparent, stored.CallFor(3).Traceparent)
	}
}
