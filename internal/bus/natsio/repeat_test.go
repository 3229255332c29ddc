package natsio_test

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// TestPublishOnceRepeats loses the first copy of a message, or its acknowledgement: it is sent
// again with the same content, once, and the writer is told.
func TestPublishOnceRepeats(t *testing.T) {
	t.Parallel()
	const stored, taken = `{"stream":"S","seq":1}`,
		`{"error":{"code":503,"err_code":10077,"description":"maximum messages per subject exceeded"},"stream":"S","seq":0}`
	for name, tt := range map[string]struct {
		answer string
		want   error
	}{
		"the message was lost":         {stored, nil},
		"the acknowledgement was lost": {taken, natsio.ErrExists},
		"neither comes":                {"", natsio.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := queuetest.Server(t)
			q := queuetest.Open(t, srv)
			stream, err := nats.Connect(srv.URL())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(stream.Close)
			copies := make(chan *nats.Msg, 8)
			if _, err := stream.ChanSubscribe("once", copies); err != nil {
				t.Fatal(err)
			}
			if err := stream.Flush(); err != nil {
				t.Fatal(err)
			}
			type outcome struct {
				repeated bool
				err      error
			}
			done := make(chan outcome, 1)
			natsio.PublishOnce(q.Conn, &nats.Msg{Subject: "once", Data: []byte("x"), Header: nats.Header{"H": {"y"}}},
				func(repeated bool, err error) { done <- outcome{repeated, err} })
			first, second := queuetest.Receive(t, copies, "message"), queuetest.Receive(t, copies, "second copy")
			if second.Reply != first.Reply || string(second.Data) != "x" || second.Header.Get("H") != "y" {
				t.Errorf("the copy is %q %v to %s, want what was sent to %s", second.Data, second.Header, second.Reply, first.Reply)
			}
			if tt.answer != "" {
				if err := stream.Publish(second.Reply, []byte(tt.answer)); err != nil {
					t.Fatal(err)
				}
			}
			if got := queuetest.Receive(t, done, "outcome"); !got.repeated || !errors.Is(got.err, tt.want) {
				t.Errorf("PublishOnce = repeated %v, %v, want repeated and %v", got.repeated, got.err, tt.want)
			}
			if n := len(copies); n > 0 {
				t.Errorf("%d further copies", n)
			}
		})
	}
}
