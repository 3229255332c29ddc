package route

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
)

// TestFinal: a full queue is reported as full only if no earlier copy may be queued.
func TestFinal(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("calls: %w", natsio.ErrFull)
	for tries, want := range map[int]error{1: natsio.ErrFull, 2: natsio.ErrUnavailable, submitTries: natsio.ErrUnavailable} {
		s := New(Options{}).Sending(&call.Call{}, nil)
		s.tries = tries
		err := s.Again(t.Context(), full)
		if !errors.Is(err, want) || tries > 1 && errors.Is(err, natsio.ErrFull) {
			t.Errorf("after %d tries: %v, want %v", tries, err, want)
		}
	}
	s := New(Options{}).Sending(&call.Call{}, nil)
	s.tries = submitTries
	if err := s.Again(t.Context(), natsio.ErrUnavailable); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("after the last try: %v, want its error", err)
	}
}

// TestConfirm: a call is confirmed by the queue or by its result, and not by the refusal of a
// worker that it was handed to before.
func TestConfirm(t *testing.T) {
	t.Parallel()
	result := make(chan []byte, 1)
	s := New(Options{}).Sending(&call.Call{}, result)
	if element, err := s.Confirm(t.Context(), result); element != nil || err != nil {
		t.Errorf("a call that was not sent = %s, %v", element, err)
	}
	s.state = submitted
	s.Failed <- queue.Busy
	s.Failed <- natsio.ErrFull
	if _, err := s.Confirm(t.Context(), result); !errors.Is(err, natsio.ErrFull) {
		t.Errorf("a call that found no room = %v", err)
	}
	result <- []byte("x")
	if element, err := s.Confirm(t.Context(), result); string(element) != "x" || err != nil {
		t.Errorf("a call with a result = %s, %v", element, err)
	}
	s.Queued <- struct{}{}
	if element, err := s.Confirm(t.Context(), result); element != nil || err != nil {
		t.Errorf("a queued call = %s, %v", element, err)
	}
}

// TestStaleRefusal: the refusal of a direct call is of no concern once the call is queued.
func TestStaleRefusal(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Sending(&call.Call{}, nil)
	s.state = submitted
	if err := s.Again(t.Context(), queue.Unfit); err != nil || s.tries != 0 {
		t.Errorf("Again = %v after %d tries, want nothing done", err, s.tries)
	}
	if !s.Due().IsZero() {
		t.Error("a queued call is due")
	}
}

// TestPace: calls of a tool are direct for a time after a quick one, and for longer and longer
// not after a result that was late.
func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	now := time.UnixMilli(1_700_000_000_000)
	ms := now.UnixMilli()
	if p.allows(ms) {
		t.Error("a tool without calls counts as quick")
	}
	p.ended(true, now)
	if !p.allows(ms) || p.allows(now.Add(2*quickKept).UnixMilli()) {
		t.Error("a quick call counts for one minute")
	}
	for _, rest := range []time.Duration{lateRest, 2 * lateRest, 4 * lateRest} {
		p.late(now)
		p.late(now) // of the same moment
		if end := now.Add(rest); p.allows(end.UnixMilli()-1) || !p.allows(end.UnixMilli()) {
			t.Errorf("the calls of a late tool are queued until %d, want %v", p.rest.Load()-now.UnixMilli(), rest)
		}
		now = now.Add(rest)
		p.ended(true, now)
	}
	p.ended(false, now)
	if p.allows(now.Add(time.Hour).UnixMilli()) {
		t.Error("a slow call leaves the tool quick")
	}
}
