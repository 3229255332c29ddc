package streams_test

import (
	"context"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

func TestRatio(t *testing.T) {
	for name, tt := range map[string]struct {
		fill streams.Fill
		want float64
	}{
		"no bounds": {streams.Fill{Bytes: 5, Messages: 5}, 0},
		"bytes":     {streams.Fill{Bytes: 3, MaxBytes: 4, Messages: 5}, 0.75},
		"messages":  {streams.Fill{Bytes: 1, MaxBytes: 4, Messages: 4, MaxMessages: 8}, 0.5},
	} {
		if got := tt.fill.Ratio(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestWatchFill: every stream is measured; those that need memory for each message have
// bounds.
func TestWatchFill(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	if _, err := q.Calls.Fence(queuetest.Context(t), "acme", "c", call.Fence{By: "w"}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(queuetest.Context(t))
	defer stop()
	got := make(chan streams.Fill, 100)
	go q.WatchFill(ctx, func(f streams.Fill) { got <- f })
	seen := map[string]streams.Fill{}
	for len(seen) < 10 {
		f := queuetest.Receive(t, got, "fill")
		seen[f.Stream] = f
	}
	for _, name := range []string{streams.Results, streams.Once} {
		if f := seen[name]; f.MaxBytes <= 0 || f.MaxMessages <= 0 {
			t.Errorf("%s is %+v, want bounds", name, f)
		}
	}
	if f := seen[streams.Once]; f.Messages != 1 || f.Bytes <= 0 {
		t.Errorf("once-only records are %+v, want one", f)
	}
}
