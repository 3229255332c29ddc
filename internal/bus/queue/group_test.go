package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// group stores results of a dispatcher's calls in one message.
func group(t *testing.T, q *queue.Queue, origin, id string, calls ...string) error {
	t.Helper()
	all := make([]queue.GroupedResult, len(calls))
	for i, call := range calls {
		all[i] = queue.GroupedResult{
			CallID:  call,
			Element: []byte(`{"of":"` + id + " " + call + `"}`),
			Record:  []byte(`{"audit_id":"f-` + call + `-1"}`),
		}
	}
	done := make(chan error, 1)
	q.Results.FinishGroup("acme", "default", origin, id, all, func(err error) { done <- err })
	return queuetest.Receive(t, done, "acknowledgement")
}

// TestGroup: each waiter for a call of a group gets its element from the single stored
// message, unchanged, and the element is found by its place. The server has one group of
// its id.
func TestGroup(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	in := openInbox(t, d)
	got := map[string]chan []byte{}
	for _, call := range []string{"c1", "c2", "c3"} {
		got[call] = make(chan []byte, 2)
		in.Expect("acme", call, "echo", "default", nil, got[call], nil)
	}
	if err := group(t, w, d.Conn.ID(), "g", "c1", "c2", "c3"); err != nil {
		t.Fatal(err)
	}
	for call, c := range got {
		want := `{"of":"g ` + call + `"}`
		if element := queuetest.Receive(t, c, "answer"); string(element) != want {
			t.Errorf("%s is answered %s, want %s", call, element, want)
		}
		seq, ok := in.Answered("acme", call)
		if !ok {
			t.Fatalf("the place of %s is not known where it was answered", call)
		}
		stored, err := w.Results.ResultAt(queuetest.Context(t), "acme", call, seq)
		if err != nil || stored == nil || string(stored.Element) != want || stored.Pool != "default" || stored.Origin != d.Conn.ID() {
			t.Errorf("%s at %d = %+v, %v", call, seq, stored, err)
		}
		for _, other := range []struct{ tenant, call string }{{"other", call}, {"acme", "c4"}} {
			if stored, err := w.Results.ResultAt(queuetest.Context(t), other.tenant, other.call, seq); stored != nil || err != nil {
				t.Errorf("%v at %d = %+v, %v, want none", other, seq, stored, err)
			}
		}
		if stored, err := w.Results.ResultAt(queuetest.Context(t), "acme", call, seq+7); stored != nil || err != nil {
			t.Errorf("%s at a place where nothing is: %+v, %v", call, stored, err)
		}
	}
	if err := group(t, w, d.Conn.ID(), "g", "c1", "c2", "c3"); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("a group that is stored again is answered %v, want ErrExists", err)
	}
}

// TestGroupOfAnotherPool: a worker that puts a call of another pool into a group answers no
// caller.
func TestGroupOfAnotherPool(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d, w := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	in, got := openInbox(t, d), make(chan []byte, 2)
	in.Expect("acme", "c", "echo", "gpu", nil, got, nil)
	if err := group(t, w, d.Conn.ID(), "g", "c"); err != nil {
		t.Fatal(err)
	}
	if err := w.Results.FinishWait(queuetest.Context(t), "acme", "gpu", d.Conn.ID(), "c", []byte("true"), nil); err != nil {
		t.Fatal(err)
	}
	if element := queuetest.Receive(t, got, "answer"); string(element) != "true" {
		t.Errorf("the answer is %s, want that of the call's pool", element)
	}
}

// TestUnreadableGroup: a group whose header and body do not fit each other answers no
// caller, and does not stop the reader.
func TestUnreadableGroup(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	d := queuetest.Connect(t, srv)
	in, got := openInbox(t, d), make(chan []byte, 2)
	in.Expect("acme", "c", "echo", "default", nil, got, nil)
	nc, js := raw(t, srv.URL())
	defer nc.Close()
	for i, names := range []string{"c:9", "c:-1", "c", "c.d:2", "c:2 x", "d:1 c:5", ""} {
		msg := &nats.Msg{
			Subject: fmt.Sprintf("helve.v1.acme.result.default.%s.~%d", d.Conn.ID(), i),
			Data:    []byte("{}"),
			Header:  nats.Header{queue.HeaderGroup: {names}},
		}
		if names == "d:1 c:5" {
			msg.Data = []byte("{")
		}
		if _, err := js.PublishMsg(queuetest.Context(t), msg); err != nil {
			t.Fatal(err)
		}
	}
	if err := group(t, d, d.Conn.ID(), "good", "c"); err != nil {
		t.Fatal(err)
	}
	if element := queuetest.Receive(t, got, "answer"); string(element) != `{"of":"good c"}` {
		t.Errorf("the answer is %s, want that of the group that can be read", element)
	}
}

// TestFollowFinalsOfGroups: the records of a group are delivered with their calls.
func TestFollowFinalsOfGroups(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	if err := group(t, q, "d-1", "g", "c1", "c2"); err != nil {
		t.Fatal(err)
	}
	if err := q.Results.FinishWait(queuetest.Context(t), "acme", "default", "d-1", "c3", []byte("{}"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := stream.On(q.Conn).FollowFinals(queuetest.Context(t), 1, func(f stream.Final) error {
		got = append(got, fmt.Sprintf("%d %s %s %v %v %q", f.Seq, f.Tenant, f.Pool, f.Grouped, f.Calls, f.Records))
		return nil
	}, func() error { return errRead })
	if !errors.Is(err, errRead) {
		t.Fatal(err)
	}
	want := `[1 acme default true [c1 c2] ["{\"audit_id\":\"f-c1-1\"}" "{\"audit_id\":\"f-c2-1\"}"] 2 acme default false [c3] ["{}"]]`
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

// TestResultAfterAGap: a result received on another connection than the one on which its
// call was queued may follow a missed one, and so may that of a call that was accepted
// before: it must be looked up.
func TestResultAfterAGap(t *testing.T) {
	t.Parallel()
	dir, states := t.TempDir(), make(chan bool, 100)
	srv := start(t, "127.0.0.1:0", dir)
	d := queuetest.Connect(t, srv, func(o *queue.Options) { o.State = func(connected bool) { states <- connected } })
	queuetest.Receive(t, states, "first state")
	in, before, joined, after := openInbox(t, d), make(chan []byte, 2), make(chan []byte, 2), make(chan []byte, 2)
	in.Expect("acme", "before", "echo", "default", nil, before, nil)
	srv.Stop()
	queuetest.Receive(t, states, "loss of the connection")
	srv = start(t, strings.TrimPrefix(srv.URL(), "nats://"), dir)
	queuetest.Receive(t, states, "return of the connection")
	queuetest.Until(t, "the streams answer", func() bool { return d.Check(queuetest.Context(t)) == nil })
	in.Expect("acme", "joined", "echo", "default", nil, joined, nil)
	in.Move("acme", "joined", "default", joined)
	in.Expect("acme", "after", "echo", "default", nil, after, nil)
	if err := group(t, queuetest.Connect(t, srv), d.Conn.ID(), "g", "before", "joined", "after"); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]chan []byte{"before": before, "joined": joined} {
		if element := queuetest.Receive(t, got, "answer"); element != nil {
			t.Errorf("%s is answered %s, want that it must be looked up", name, element)
		}
		if _, ok := in.Answered("acme", name); ok {
			t.Errorf("%s counts as answered", name)
		}
	}
	if element := queuetest.Receive(t, after, "answer"); string(element) != `{"of":"g after"}` {
		t.Errorf("after is answered %s, want its element", element)
	}
}

// TestProbeDone: a dispatcher that finds a result in a group reports it to the worker that
// asks. A request for the owner of a call only does not get that.
func TestProbeDone(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	asks, d := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	nobody := func(string, string) *call.Owner { return nil }
	if err := d.Owners.ServeProbeDone(nobody, func(tenant, callID string) *call.Owner {
		if tenant != "acme" || callID != "c" {
			return nil
		}
		return &call.Owner{State: protocol.StateDone, By: d.Conn.ID()}
	}); err != nil {
		t.Fatal(err)
	}
	if err := d.Check(queuetest.Context(t)); err != nil { // the server has processed it now
		t.Fatal(err)
	}
	if h := asks.Owners.FindOther(queuetest.Context(t), "acme", "c"); h == nil || h.State != protocol.StateDone {
		t.Errorf("ProbeOthers = %+v, want done", h)
	}
	if h := asks.Owners.FindOther(queuetest.Context(t), "acme", "c2"); h != nil {
		t.Errorf("ProbeOthers of another call = %+v, want nobody", h)
	}
	if h := asks.Owners.Find(queuetest.Context(t), "acme", "c"); h != nil {
		t.Errorf("Probe = %+v, want nobody", h)
	}
}

// errRead ends a reader that waits for new messages.
var errRead = errors.New("everything was read")
