package worker_test

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestFenceOfAnUnstartedCall refuses calls. Only of a tool that acts the end has a fence,
// and so has that of a call which too many workers began, whatever its tool does.
func TestFenceOfAnUnstartedCall(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mutates  bool
		attempts int
		want     tool.Kind
	}{
		"a read":          {},
		"an effect":       {mutates: true, want: tool.ValidationError},
		"a read given up": {attempts: 10, want: tool.ExecutionError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.mutates, w.arguments = tt.mutates, `[1]`
			w.enqueue("c", 0)
			w.fail(tt.attempts)
			w.begun("c", tt.attempts)
			w.start()
			w.emptied()
			fence, err := w.queue.Calls.Fenced(queuetest.Context(t), tenant, "c")
			if err != nil {
				t.Fatal(err)
			}
			if got := w.result("c"); got.Status != protocol.StatusError {
				t.Errorf("the call ended in %+v, want it refused", got)
			}
			if fenced := fence != nil; fenced != (tt.want != "") || fenced && fence.Ended != string(tt.want) {
				t.Errorf("the fence is %+v, want one of %q", fence, tt.want)
			}
		})
	}
}

// TestRefusedBehindAnotherStart refuses a call that another delivery has started: its
// outcome is unknown, whatever this one was refused for.
func TestRefusedBehindAnotherStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.mutates, w.arguments = true, `[1]`
	if _, err := w.queue.Calls.Fence(queuetest.Context(t), tenant, "c", call.Fence{
		By:      "w-lost",
		Attempt: 1,
		AtMS:    time.Now().UnixMilli(),
	}); err != nil {
		t.Fatal(err)
	}
	w.enqueue("c", 0)
	w.start()
	w.emptied()
	if got := w.result("c"); got.ErrorType != tool.OutcomeUnknown {
		t.Errorf("the call ended in %s (%s), want %s", got.ErrorType, got.Message, tool.OutcomeUnknown)
	}
}
