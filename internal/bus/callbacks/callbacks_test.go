package callbacks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

var hook = callbacks.Key{Tenant: "acme", CallID: "c1", Receiver: "r1"}

func waiting(user string) callbacks.Callback {
	return callbacks.Callback{
		State:  callbacks.Waits,
		CallID: "c1",
		URL:    "http://hooks.example/a",
		Call:   queue.Acceptance{Tool: "echo", User: user, StartByMS: 5},
	}
}

// TestCallbackIsStoredOnce: the first request counts, also after its callback has ended,
// and of two that change a state one is refused.
func TestCallbackIsStoredOnce(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	if c, _, err := callbacks.On(q).Read(ctx, hook); c != nil || err != nil {
		t.Fatalf("Read of nothing = %v, %v", c, err)
	}
	want := waiting("ann")
	if err := callbacks.On(q).Create(ctx, hook, want); err != nil {
		t.Fatal(err)
	}
	other := want
	other.URL = "http://hooks.example/b"
	if err := callbacks.On(q).Create(ctx, hook, other); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("Create again = %v, want ErrExists", err)
	}
	got, revision, err := callbacks.On(q).Read(ctx, hook)
	if err != nil || cmp.Diff(&want, got) != "" {
		t.Fatalf("Read = %v\n%s", err, cmp.Diff(&want, got))
	}
	ended := callbacks.Callback{State: callbacks.Ended, Outcome: "delivered"}
	if err := callbacks.On(q).Change(ctx, hook, ended, revision); err != nil {
		t.Fatal(err)
	}
	if err := callbacks.On(q).Change(ctx, hook, want, revision); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("Change of an older revision = %v, want ErrExists", err)
	}
	if err := callbacks.On(q).Create(ctx, hook, want); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("Create of an ended one = %v, want ErrExists", err)
	}
}

func TestCallbackBody(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	for _, size := range []int{1, queue.InlineLimit, 2*queue.InlineLimit + 1} {
		c := waiting("ann")
		element := bytes.Repeat([]byte("x"), size-1)
		element = append(element, 'y')
		if err := callbacks.On(q).StoreBody(ctx, hook, &c, element); err != nil {
			t.Fatal(err)
		}
		if got, err := callbacks.On(q).Body(ctx, hook, &c); err != nil || !bytes.Equal(got, element) {
			t.Errorf("%d bytes: Body = %d bytes, %v", size, len(got), err)
		}
		if err := callbacks.On(q).RemoveBody(ctx, hook); err != nil {
			t.Fatal(err)
		}
		if got, err := callbacks.On(q).Body(ctx, hook, &c); !errors.Is(err, callbacks.ErrNoBody) {
			t.Errorf("%d bytes: Body after RemoveBody = %d bytes, %v", size, len(got), err)
		}
	}
}

// TestCallbacksAreFollowed: states that are there, and then changes; of a person whose data
// is deleted nothing is left.
func TestCallbacksAreFollowed(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx, stop := context.WithCancel(queuetest.Context(t))
	anns, bobs := hook, callbacks.Key{Tenant: "acme", CallID: "c2", Receiver: "r1"}
	c := waiting("ann")
	err := errors.Join(callbacks.On(q).StoreBody(ctx, anns, &c, []byte("{}")), callbacks.On(q).Create(ctx, anns, c))
	if err != nil {
		t.Fatal(err)
	}
	if err := callbacks.On(q).Mark(ctx, "beta", true); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 10)
	done := make(chan error, 1)
	go func() {
		done <- callbacks.On(q).Follow(ctx, callbacks.Following{
			Each: func(k callbacks.Key, c *callbacks.Callback) {
				seen <- fmt.Sprintf("%s %s %s", k.CallID, c.State, c.Call.User)
			},
			Crowded: func(tenant string) { seen <- "crowded " + tenant }, Read: func() { seen <- "read" },
		})
	}()
	for _, want := range []string{"c1 waits ann", "crowded beta", "read"} {
		if got := queuetest.Receive(t, seen, want); got != want {
			t.Errorf("followed %q, want %q", got, want)
		}
	}
	if err := callbacks.On(q).Create(ctx, bobs, waiting("bob")); err != nil {
		t.Fatal(err)
	}
	if got := queuetest.Receive(t, seen, "the new one"); got != "c2 waits bob" {
		t.Errorf("followed %q", got)
	}
	if err := callbacks.On(q).Erase(ctx, "acme", "ann"); err != nil {
		t.Fatal(err)
	}
	if got, _, err := callbacks.On(q).Read(ctx, anns); got != nil || err != nil {
		t.Errorf("Read after Erase = %v, %v", got, err)
	}
	if _, err := callbacks.On(q).Body(ctx, anns, &c); !errors.Is(err, callbacks.ErrNoBody) {
		t.Errorf("Body after Erase: %v", err)
	}
	if got, _, err := callbacks.On(q).Read(ctx, bobs); got == nil || err != nil {
		t.Errorf("Erase removed that of another person: %v", err)
	}
	stop()
	<-done
}

// TestEndsOfCalls: only results of the calls that were added are passed on.
func TestEndsOfCalls(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx, stop := context.WithCancel(queuetest.Context(t))
	defer stop()
	ends := callbacks.On(q).WatchEnds()
	ended := make(chan string, 10)
	go ends.Run(ctx, func(tenant, callID string) { ended <- tenant + "/" + callID })
	remove, err := ends.Add("acme", "c1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ends.Add("acme", "c3"); err != nil {
		t.Fatal(err)
	}
	finish := func(callID string) {
		t.Helper()
		if err := q.Results.FinishWait(ctx, "acme", "default", "d-1", callID, []byte(`{}`), nil); err != nil {
			t.Fatal(err)
		}
	}
	finish("c2")
	finish("c1")
	if got := queuetest.Receive(t, ended, "the end"); got != "acme/c1" {
		t.Errorf("ended: %s", got)
	}
	remove()
	finish("c3")
	if got := queuetest.Receive(t, ended, "the end of another"); got != "acme/c3" {
		t.Errorf("ended: %s", got)
	}
}

// TestCallbacksUsedUp: new callbacks are refused with the setting to change while there is
// room left for the results of those that are stored, and calls are not refused for it.
func TestCallbacksUsedUp(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.Accepts, o.CallbacksMaxMessages = true, 40 })
	ctx := queuetest.Context(t)
	n := 0
	var err error
	queuetest.Until(t, "a refusal", func() bool {
		n++
		err = callbacks.On(q).Create(ctx, callbacks.Key{Tenant: "acme", CallID: fmt.Sprintf("c%d", n), Receiver: "r1"}, waiting("ann"))
		return err != nil
	})
	if !errors.Is(err, natsio.ErrFull) || !strings.Contains(err.Error(), "callbacks.max_messages") {
		t.Fatalf("callback %d: %v, want a refusal that names the setting", n, err)
	}
	if short := q.Full(); short != nil {
		t.Errorf("calls are refused for it: %v", short)
	}
	first := callbacks.Key{Tenant: "acme", CallID: "c1", Receiver: "r1"}
	c, revision, err := callbacks.On(q).Read(ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	c.State = callbacks.Ended
	if err := callbacks.On(q).Change(ctx, first, *c, revision); err != nil {
		t.Errorf("the state of a stored one cannot change: %v", err)
	}
	for i := range 20 {
		if err := callbacks.On(q).Remove(ctx, callbacks.Key{Tenant: "acme", CallID: fmt.Sprintf("c%d", i+1), Receiver: "r1"}); err != nil {
			t.Fatal(err)
		}
	}
	queuetest.Until(t, "room again", func() bool {
		return callbacks.On(q).Create(ctx, callbacks.Key{Tenant: "acme", CallID: "late", Receiver: "r1"}, waiting("ann")) == nil
	})
}

// TestCrowdedTenant: a mark is of one tenant, can be stored again and is removed.
func TestCrowdedTenant(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	want := func(what string, acme bool) {
		t.Helper()
		for tenant, want := range map[string]bool{"acme": acme, "beta": false} {
			if is, err := callbacks.On(q).Crowded(ctx, tenant); is != want || err != nil {
				t.Errorf("%s: Crowded(%s) = %v, %v", what, tenant, is, err)
			}
		}
	}
	want("at first", false)
	for _, crowded := range []bool{true, true, false, false} {
		if err := callbacks.On(q).Mark(ctx, "acme", crowded); err != nil {
			t.Fatal(err)
		}
		want(fmt.Sprintf("after Mark %v", crowded), crowded)
	}
}
