package client

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// lossy is a transport that loses its first requests.
type lossy struct {
	transport
	losses int
}

func (l *lossy) request(ctx context.Context, op operation) (answer, error) {
	if l.losses > 0 {
		l.losses--
		<-ctx.Done()
		return answer{}, context.Cause(ctx)
	}
	return answer{body: []byte(`{"trace_id":"t","results":[{"call_id":"c","tool":"x","status":"success","result":1}]}`)}, nil
}

func (l *lossy) silence() error { return unreachable("the server", errSilent) }

func (l *lossy) close() {}

// TestLostRequest: a request that was lost is sent again after three seconds, not after the
// whole time that its call may take.
func TestLostRequest(t *testing.T) {
	for losses, limit := range map[int]time.Duration{1: 4 * time.Second, 2: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := &Client{via: &lossy{losses: losses}, retry: true}
			began := time.Now()
			resp, err := c.Execute(t.Context(), Request{Calls: []Call{{Tool: "x", ID: "c"}}})
			if err != nil || resp.Results[0].Status != StatusSuccess {
				t.Fatalf("%+v, %v", resp, err)
			}
			if took := time.Since(began); took > limit {
				t.Errorf("after %d lost requests the answer came after %v, want at most %v", losses, took, limit)
			}
		})
	}
}

// TestWaitSlice: the requests of a long call become rare, and no request waits for longer
// than its caller.
func TestWaitSlice(t *testing.T) {
	var total time.Duration
	for n := range 10 {
		total += waitSlice(n, time.Minute)
	}
	if total != 42*time.Second { // 1, 2, 4, then 5 each
		t.Errorf("ten requests wait for %v, want 42s", total)
	}
	if got := waitSlice(9, time.Millisecond); got != time.Millisecond {
		t.Errorf("with a millisecond left a request waits for %v", got)
	}
	if first, tenth := marginAfter(0), marginAfter(10); first != 2*time.Second || tenth != answerMargin {
		t.Errorf("the margins are %v and %v, want 2s and %v", first, tenth, answerMargin)
	}
}
