package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// batchSize is the number of records that are requested at a time.
const batchSize = 2048

// errEnough ends a walk at its last message.
var errEnough = errors.New("enough")

// Read gives the records between two places, both included, that are there
// when it is called; of one tenant, or of all if tenant is "". It ends early
// with each's error. A record may be given whose place is past what was there:
// those that came meanwhile, up to the end of the range.
func (s Store) Read(ctx context.Context, from, to uint64, tenant string, each func(Message) error) error {
	if from > to {
		return nil
	}
	if tenant == "" {
		tenant = "*"
	}
	w := natsio.Walk{Conn: s.conn, Stream: streams.Audit, Filter: s.subj.Of(tenant, "audit", ">"), Next: from, Batch: batchSize}
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		if meta.Sequence.Stream > to {
			return errEnough
		}
		if err := each(s.message(msg, meta)); err != nil {
			return err
		}
		if meta.Sequence.Stream == to {
			return errEnough
		}
		return nil
	}
	if err := w.Run(ctx); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

func (s Store) message(msg *nats.Msg, meta *nats.MsgMetadata) Message {
	m := Message{Seq: meta.Sequence.Stream, Data: msg.Data, At: meta.Timestamp}
	if tenant, tokens, ok := s.subj.Split(msg.Subject, 2); ok && len(tokens) == 2 && subject.IsName(tenant) {
		m.Tenant, m.Tool = tenant, tokens[1]
	}
	return m
}

// Extent is the size of the trail as the server counts it.
type Extent struct {
	// First and Last are the places of the first and the last record of the
	// trail, Records how many there are between them. As nothing may be deleted
	// there are as many as places; after damage to the server's files they may
	// be more than can be read.
	First, Last, Records uint64
	// Own is the number of records of the tenant that was asked for, LastOwn the place of
	// the last of them that can be read, 0 for none. No record is counted in Own that arrived
	// behind Last.
	Own, LastOwn uint64
}

// Range returns the places of the first and the last record of the trail,
// and how many records the server counts between them.
func (s Store) Range(ctx context.Context) (first, last, messages uint64, err error) {
	e, err := s.Extent(ctx, "")
	return e.First, e.Last, e.Records, err
}

// Extent returns the size of the trail as the server counts it, and of a tenant's records
// in it if tenant is not "".
func (s Store) Extent(ctx context.Context, tenant string) (Extent, error) {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	stream, err := s.conn.JetStream().Stream(ctx, streams.Audit)
	if err != nil {
		return Extent{}, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	filter := s.subj.Of(tenant, "audit", ">")
	var opts []jetstream.StreamInfoOpt
	if tenant != "" {
		opts = append(opts, jetstream.WithSubjectFilter(filter))
	}
	info, err := stream.Info(ctx, opts...)
	if err != nil {
		return Extent{}, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	e := Extent{First: info.State.FirstSeq, Last: info.State.LastSeq, Records: info.State.Msgs}
	for _, n := range info.State.Subjects {
		e.Own += n
	}
	if e.Own == 0 {
		return e, nil
	}
	msg, err := s.conn.Last(ctx, streams.Audit, filter)
	if errors.Is(err, natsio.ErrNotStored) {
		return e, nil // what is counted cannot be read
	}
	if err != nil {
		return Extent{}, err
	}
	e.LastOwn, err = natsio.Place(msg)
	// The server reads the state of the stream first and counts the tenant's records after
	// that: some of those that are counted may have arrived in between.
	e.Last = max(e.Last, e.LastOwn)
	return e, err
}
