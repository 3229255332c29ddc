package kept

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// The server could bound the stream by itself. The dispatcher that writes it does so instead,
// because the server can bound neither a tenant nor report how many calls it dropped.

// roomPart is the part of a bound that is made free when it is reached, so that it is not
// reached again with the next block.
const roomPart = 20

// Bytes returns the bytes of all kept calls.
func (s Store) Bytes(ctx context.Context) (int64, error) {
	stream, err := s.conn.JetStream().Stream(ctx, streams.Kept)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	return int64(stream.CachedInfo().State.Bytes), nil
}

// Trim drops the oldest calls of a tenant, or of all with "*", if they have more bytes than
// most. It returns the bytes that are left and the number of calls that were dropped.
func (s Store) Trim(ctx context.Context, tenant string, most int64) (left int64, dropped int, err error) {
	type block struct {
		place uint64
		bytes int64
		calls int
	}
	var all []block
	filter := s.subject(tenant, "*")
	w := natsio.Walk{Conn: s.conn, Stream: streams.Kept, Filter: filter, Batch: walkBatch, Headers: true}
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		b := block{meta.Sequence.Stream, size(msg), count(msg)}
		all, left = append(all, b), left+b.bytes
		return nil
	}
	if err := w.Run(ctx); err != nil || left <= most {
		return left, 0, err
	}
	last := uint64(0)
	for _, b := range all {
		if left <= most-most/roomPart {
			break
		}
		left, dropped, last = left-b.bytes, dropped+b.calls, b.place
	}
	return left, dropped, natsio.PurgeTo(ctx, s.conn, streams.Kept, filter, last)
}

// size returns the bytes of a message on disk, nearly.
func size(msg *nats.Msg) int64 {
	n, _ := strconv.ParseInt(msg.Header.Get(headerSize), 10, 64)
	for name, values := range msg.Header {
		n += int64(len(name) + len(strings.Join(values, "")))
	}
	return n + int64(len(msg.Subject))
}

// Notes in the bucket of the place of the trail: the place in the results stream up to which
// calls are kept, and when the last ones were dropped.
const (
	notePlace   = "kept-results"
	noteDropped = "kept-dropped"
)

// Place returns the place in the stream of results that is named so, up to which calls are
// kept; ok is false if none is known.
func (s Store) Place(ctx context.Context, results string) (seq uint64, ok bool, err error) {
	notes, err := s.conn.Bucket(ctx, streams.BucketSealed)
	if err != nil {
		return 0, false, err
	}
	note, err := notes.Get(ctx, notePlace)
	if err != nil {
		return 0, false, err
	}
	text, ok := strings.CutPrefix(string(note), results+" ")
	if !ok {
		return 0, false, nil
	}
	seq, err = strconv.ParseUint(text, 10, 64)
	return seq, err == nil, nil
}

// NotePlace stores [Store.Place].
func (s Store) NotePlace(ctx context.Context, results string, seq uint64) error {
	notes, err := s.conn.Bucket(ctx, streams.BucketSealed)
	if err != nil {
		return err
	}
	return notes.Put(ctx, notePlace, fmt.Appendf(nil, "%s %d", results, seq))
}

// Dropped describes calls that were dropped before their time.
type Dropped struct {
	At     time.Time `json:"at"`
	Tenant string    `json:"tenant,omitempty"`
	Calls  int       `json:"calls"`
}

// NoteDropped stores that calls were dropped.
func (s Store) NoteDropped(ctx context.Context, d Dropped) error {
	notes, err := s.conn.Bucket(ctx, streams.BucketSealed)
	if err != nil {
		return err
	}
	data, err := json.Marshal(d)
	return errors.Join(err, notes.Put(ctx, noteDropped, data))
}

// LastDropped returns what was dropped last; the zero value if nothing was.
func (s Store) LastDropped(ctx context.Context) (d Dropped, err error) {
	notes, err := s.conn.Bucket(ctx, streams.BucketSealed)
	if err != nil {
		return d, err
	}
	note, err := notes.Get(ctx, noteDropped)
	if err != nil || note == nil {
		return d, err
	}
	return d, json.Unmarshal(note, &d)
}

// awaitAgain is the pause before the place is read again.
const awaitAgain = 100 * time.Millisecond

// Await waits until the calls up to a place in the results stream are kept, or until ctx ends.
func (s Store) Await(ctx context.Context, results string, last uint64) error {
	for {
		seq, ok, err := s.Place(ctx, results)
		if err != nil || ok && seq >= last {
			return err
		}
		natsio.Pause(ctx, awaitAgain)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}
