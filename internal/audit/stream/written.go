package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// Written returns the subject of requests to answer once results are on the trail.
func (s Subjects) Written() string { return s.Of("_", "written") }

const (
	// writtenTry bounds one request, writtenAgain is the pause before the next: the
	// process that was asked may die, and another take over.
	writtenTry   = 500 * time.Millisecond
	writtenAgain = 20 * time.Millisecond
)

// ServeWritten gives the requests of [Store.AwaitWritten], each a place in the results
// stream and the function that answers it, until stop is called.
func (s Store) ServeWritten(each func(seq uint64, answer func())) (stop func(), err error) {
	sub, err := s.conn.NATS().Subscribe(s.subj.Written(), func(msg *nats.Msg) {
		if seq, err := strconv.ParseUint(string(msg.Data), 10, 64); err == nil {
			each(seq, func() { _ = msg.Respond(nil) })
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// AwaitWritten waits until the final record of every result that is stored now is on
// the trail, or until ctx ends.
func (s Store) AwaitWritten(ctx context.Context) error { return s.AwaitWrittenTo(ctx, 0) }

// AwaitWrittenTo is AwaitWritten for the results up to a place; 0 is the last one.
func (s Store) AwaitWrittenTo(ctx context.Context, last uint64) (err error) {
	if last == 0 {
		if last, err = s.lastResult(ctx); err != nil || last == 0 {
			return err
		}
	}
	for {
		once, cancel := context.WithTimeout(ctx, writtenTry)
		_, err := s.conn.Request(once, &nats.Msg{Subject: s.subj.Written(), Data: strconv.AppendUint(nil, last, 10)})
		cancel()
		if err == nil {
			return nil
		}
		natsio.Pause(ctx, writtenAgain)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

func (s Store) lastResult(ctx context.Context) (uint64, error) {
	info, err := s.resultsInfo(ctx)
	if err != nil || info.State.Msgs == 0 {
		return 0, err
	}
	return info.State.LastSeq, nil
}

func (s Store) resultsInfo(ctx context.Context) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	stream, err := s.conn.JetStream().Stream(ctx, streams.Results)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	return stream.CachedInfo(), nil
}

// ResultsStream returns a name of the results stream that changes when the stream is
// deleted and made again, with other places.
func (s Store) ResultsStream(ctx context.Context) (string, error) {
	info, err := s.resultsInfo(ctx)
	if err != nil {
		return "", err
	}
	return info.Created.UTC().Format(time.RFC3339Nano), nil
}

// PurgeResults removes the results that are older than keep, by the server's clock, and
// lie before a place.
func (s Store) PurgeResults(ctx context.Context, keep time.Duration, before uint64) error {
	info, err := s.resultsInfo(ctx)
	if err != nil || info.State.Msgs == 0 {
		return err
	}
	stored := info.TimeStamp.Add(-keep)
	if !info.State.FirstTime.Before(stored) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	// The server finds the place of a time when it makes a consumer.
	c, err := s.conn.JetStream().CreateConsumer(ctx, streams.Results, jetstream.ConsumerConfig{
		AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, HeadersOnly: true, InactiveThreshold: natsio.WalkIdle,
		DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &stored,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	first := c.CachedInfo().Delivered.Stream + 1
	gone := s.conn.JetStream().DeleteConsumer(ctx, streams.Results, c.CachedInfo().Name)
	stream, err := s.conn.JetStream().Stream(ctx, streams.Results)
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %w", natsio.ErrUnavailable, err), gone)
	}
	if first = min(first, before); first <= info.State.FirstSeq {
		return gone
	}
	return errors.Join(stream.Purge(ctx, jetstream.WithPurgeSequence(first)), gone)
}
