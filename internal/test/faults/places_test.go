package faults

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// placesOf describes where calls are that did not end: what a dispatcher answers, and what
// each stream holds of them.
func (w *world) placesOf(d door, calls []*call) string {
	const most = 5
	var text strings.Builder
	o := w.observe()
	for _, c := range calls[:min(len(calls), most)] {
		e, status := d.get(c)
		fmt.Fprintf(&text, "%s: calls.get answers %d %+v\n", c.ID, status, e)
		for _, stream := range []string{"HELVE_CALLS", "HELVE_ONCE", "HELVE_RESULTS", "HELVE_AUDIT"} {
			fmt.Fprintf(&text, "  %s:%s\n", stream, o.mentions(stream, c.ID))
		}
	}
	for _, stream := range []string{"HELVE_CALLS", "HELVE_RESULTS"} {
		text.WriteString(o.consumers(stream))
	}
	return text.String()
}

// placesTimeout bounds each look at the streams.
const placesTimeout = 20 * time.Second

// mentions returns the messages of a stream that name a call.
func (o observer) mentions(stream, callID string) string {
	ctx, cancel := context.WithTimeout(context.Background(), placesTimeout)
	defer cancel()
	s, err := o.js.Stream(ctx, stream)
	if err != nil {
		return " " + err.Error()
	}
	state := s.CachedInfo().State
	var found strings.Builder
	for seq := state.FirstSeq; seq <= state.LastSeq && ctx.Err() == nil; seq++ {
		msg, err := s.GetMsg(ctx, seq)
		if err != nil {
			continue // it was removed
		}
		if strings.Contains(msg.Subject, callID) || strings.Contains(string(msg.Data), callID) {
			fmt.Fprintf(&found, "\n    %d %s %s %s %.300s",
				seq, msg.Time.Format(time.TimeOnly), msg.Subject, msg.Header.Get("Nats-Msg-Id"), msg.Data)
		}
	}
	return found.String()
}

// consumers describes the consumers of a stream.
func (o observer) consumers(stream string) string {
	ctx, cancel := context.WithTimeout(context.Background(), placesTimeout)
	defer cancel()
	s, err := o.js.Stream(ctx, stream)
	if err != nil {
		return stream + ": " + err.Error() + "\n"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: messages %d to %d\n", stream, s.CachedInfo().State.FirstSeq, s.CachedInfo().State.LastSeq)
	all := s.ListConsumers(ctx)
	for c := range all.Info() {
		fmt.Fprintf(&text, "  %s: delivered %+v, acknowledged %+v, unacknowledged %d, redelivered %d, pending %d, requests %d%s\n",
			c.Name, sequence(c.Delivered), sequence(c.AckFloor), c.NumAckPending, c.NumRedelivered, c.NumPending, c.NumWaiting, leaderOf(c))
	}
	if err := all.Err(); err != nil {
		text.WriteString("  " + err.Error() + "\n")
	}
	return text.String()
}

func sequence(i jetstream.SequenceInfo) string { return fmt.Sprintf("%d/%d", i.Consumer, i.Stream) }

func leaderOf(c *jetstream.ConsumerInfo) string {
	if c.Cluster == nil {
		return ""
	}
	return ", leader " + c.Cluster.Leader
}
