package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/consent/store"
)

func TestInboxHoldsSoManyOfAUser(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.ConsentsPerUser = 2 }), queuetest.Context(t)
	type told struct {
		seq     uint64
		request string
	}
	asked := make(chan told, 10)
	if err := store.On(q).FollowAsked(ctx, func(seq uint64, _ string, request []byte) { asked <- told{seq, string(request)} }); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := store.On(q).Ask(ctx, "acme", "u1", fmt.Sprint("k", i), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.On(q).Ask(ctx, "acme", "u1", "k1", []byte("1")); err != nil {
		t.Errorf("asking the same twice = %v, want it taken for one", err)
	}
	if err := store.On(q).Ask(ctx, "acme", "u1", "k9", []byte("9")); !errors.Is(err, natsio.ErrFull) {
		t.Errorf("a third request = %v, want ErrFull", err)
	}
	if err := store.On(q).Ask(ctx, "acme", "u2", "k10", []byte("10")); err != nil {
		t.Errorf("another user's request = %v", err)
	}
	first := queuetest.Receive(t, asked, "request")
	for range 2 { // the second time it is gone already
		if err := store.On(q).Answered(ctx, first.seq); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.On(q).Ask(ctx, "acme", "u1", "k11", []byte("11")); err != nil {
		t.Errorf("after one was answered: %v, want room", err)
	}
}

func TestDecisionsAreFollowed(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	s := store.On(q)
	if err := s.TellDecision(ctx, "acme", "u1", "k1", []byte("early")); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 4)
	if err := s.FollowDecisions(ctx, func(tenant string, decision []byte) { told <- tenant + " " + string(decision) }); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second is a copy of the first
		if err := s.TellDecision(ctx, "acme", "u1", "k2", []byte("late")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.TellDecision(ctx, "beta", "u1", "k1", []byte("other")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"acme early", "acme late", "beta other"} {
		if got := queuetest.Receive(t, told, "decision"); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
}

func TestLastAsked(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	s := store.On(q)
	if seq, err := s.LastAsked(ctx, "acme"); seq != 0 || err != nil {
		t.Errorf("LastAsked of empty inboxes = %d, %v, want 0", seq, err)
	}
	for i, user := range []string{"u1", "u2"} {
		if err := s.Ask(ctx, "acme", user, "k", []byte(user)); err != nil && i == 0 {
			t.Fatal(err)
		}
	}
	if err := s.Ask(ctx, "beta", "u1", "k9", []byte("other")); err != nil {
		t.Fatal(err)
	}
	if seq, err := s.LastAsked(ctx, "acme"); seq != 1 || err != nil {
		t.Errorf("LastAsked = %d, %v, want 1: the second request has the id of the first", seq, err)
	}
}
