package natsio_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestUnansweredRead: a read whose answer is lost ends, although its context goes on. While a
// process starts the read is repeated.
func TestUnansweredRead(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it waits for the end of a lost request")
	srv := queuetest.Server(t)
	proxy := queuetest.NewLossy(t, srv)
	q := queuetest.Connect(t, srv, func(o *queue.Options) { o.URL = proxy.URL })
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	open := func() error {
		proxy.LoseNext(`"name":"KV_` + natsio.BucketLeases)
		_, err := q.Conn.JetStream().KeyValue(ctx, natsio.BucketLeases)
		queuetest.Receive(t, proxy.Lost, "the lost answer")
		return err
	}
	if err := open(); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		t.Errorf("a bucket whose answer is lost: %v, want the end of the attempt", err)
	}
	start := natsio.Starting(ctx, q.Conn, func() {})
	defer start.Done()
	if err := open(); err != nil {
		t.Errorf("a bucket whose answer is lost while a process starts: %v, want the next answer", err)
	}
}
