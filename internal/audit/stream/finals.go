package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// The final record of a call is stored with its result, in one message. What follows
// moves such records to the trail, several in a message.

// Headers of blocks on the trail.
const (
	// HeaderResults of a message of the trail is the range of places in the results
	// stream that its records come from, HeaderStream that stream, HeaderSigned the
	// signature over both and HeaderSince when the first of these results was stored.
	HeaderResults = "Helve-Results"
	HeaderStream  = "Helve-Stream"
	HeaderSigned  = "Helve-Signed"
	HeaderSince   = "Helve-Since"
)

// Final is a result as its records are moved, with its elements only where they are kept too.
type Final struct {
	// Seq is its place in the results stream, which all tenants share.
	Seq uint64
	// Tenant is "" where the subject names none that a record can be of.
	Tenant string
	// Pool is the pool of the worker that stored it.
	Pool string
	// Records are the final records, one for each call of a group. Calls names the call of
	// each.
	Records [][]byte
	Calls   []string
	// Grouped means that the message is a group.
	Grouped bool
	// At is when the server stored it.
	At time.Time
	// Elements are the results, and Arguments those of their calls as workers have kept them,
	// one for each call; nil if they are not read.
	Elements  [][]byte
	Arguments []string
}

// FollowFinals gives every result from a place on, and then those that come, in order,
// until ctx ends or each or rest fails. It calls rest when it has given all there is.
func (s Store) FollowFinals(ctx context.Context, from uint64, each func(Final) error, rest func() error) error {
	return s.follow(ctx, from, false, each, rest)
}

// resultsBatch is the number of results that are held at a time with their elements, each up to
// 256 KiB.
const resultsBatch = 200

// FollowResults is FollowFinals with the elements of the results.
func (s Store) FollowResults(ctx context.Context, from uint64, each func(Final) error, rest func() error) error {
	return s.follow(ctx, from, true, each, rest)
}

func (s Store) follow(ctx context.Context, from uint64, elements bool, each func(Final) error, rest func() error) error {
	w := natsio.Walk{
		Conn: s.conn, Stream: streams.Results, Next: from, Batch: batchSize, Wait: natsio.WalkWait, Headers: !elements, Rest: rest,
	}
	if elements {
		w.Batch = resultsBatch
	}
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		f := Final{Seq: meta.Sequence.Stream, At: meta.Timestamp}
		tenant, pool, _, id := queue.SubjectsOf(s.conn.Tree()).ReadResult(msg.Subject)
		if subject.IsName(tenant) {
			f.Tenant, f.Pool = tenant, pool
		}
		if record := msg.Header.Get(queue.HeaderRecord); record != "" {
			f.Records, f.Calls = queue.SplitRecords(record), []string{id}
		}
		if f.Grouped = queue.IsGroup(id); f.Grouped {
			f.Calls = queue.GroupCalls(msg.Header.Get(queue.HeaderGroup))
		}
		if len(f.Calls) != len(f.Records) {
			s.conn.Log().Error("result refused: its records are not those of its calls",
				zap.String("subject", msg.Subject), zap.Uint64("seq", f.Seq))
			f.Records, f.Calls = nil, nil
		}
		if elements && f.Records != nil {
			f.Elements, f.Arguments = queue.ResultsOf(msg, len(f.Calls))
		}
		return each(f)
	}
	return w.Run(ctx)
}

// Block is several final records of one tenant, as a message of the trail.
type Block struct {
	Tenant string
	// From and To are the places of the first and the last result in the results stream
	// that Stream names.
	From, To uint64
	Stream   string
	// Since is when the first result was stored.
	Since time.Time
	// Signed is the signature of the process that wrote the block.
	Signed string
	// Lines are the records; of a block that was read they are left out.
	Lines []byte
	// Seq is the place of the message in the
	Seq uint64
}

// ErrMoved means that another process has written a block of the tenant.
var ErrMoved = errors.New("another block was written")

// WriteBlock stores a block as the next one of its tenant after the one at last, 0 for
// none, and returns its place. [ErrMoved] means that last is not the last one, [natsio.ErrFull]
// that there is no room: smaller blocks may fit, and one record that does not refuses calls.
func (s Store) WriteBlock(ctx context.Context, block *Block, last uint64) (uint64, error) {
	msg := nats.NewMsg(s.subj.Audit(block.Tenant, AboutBlocks))
	msg.Data = block.Lines
	msg.Header.Set(HeaderResults, fmt.Sprintf("%d-%d", block.From, block.To))
	msg.Header.Set(HeaderStream, block.Stream)
	msg.Header.Set(HeaderSigned, block.Signed)
	msg.Header.Set(HeaderSince, block.Since.UTC().Format(time.RFC3339Nano))
	ctx, cancel := context.WithTimeout(ctx, natsio.AckTimeout)
	defer cancel()
	ack, err := s.conn.JetStream().PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(last), jetstream.WithRetryAttempts(0))
	api, refused := errors.AsType[*jetstream.APIError](err)
	switch {
	case err == nil:
		return ack.Sequence, nil
	case natsio.WrongSequence(err):
		return 0, ErrMoved
	case refused && errors.Is(natsio.Refusal(api), natsio.ErrFull):
		if block.From == block.To {
			s.conn.Observer().Refused(msg, natsio.Refusal(api))
		}
		return 0, fmt.Errorf("%w: %w", natsio.ErrFull, err)
	default:
		return 0, fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
}

// LastBlock returns the block of a tenant that was written last, without its lines, nil
// for none. A message that names no range has 0 for both ends.
func (s Store) LastBlock(ctx context.Context, tenant string) (*Block, error) {
	msg, err := s.conn.Last(ctx, streams.Audit, s.subj.Audit(tenant, AboutBlocks))
	if errors.Is(err, natsio.ErrNotStored) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	seq, err := strconv.ParseUint(natsio.ServerHeader(msg, natsio.HeaderSequence), 10, 64)
	return s.block(msg, tenant, seq), err
}

// Blocks gives the blocks of a tenant that are there, in order, without their lines.
func (s Store) Blocks(ctx context.Context, tenant string, each func(*Block) error) error {
	w := natsio.Walk{Conn: s.conn, Stream: streams.Audit, Filter: s.subj.Audit(tenant, AboutBlocks), Batch: batchSize, Headers: true}
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		return each(s.block(msg, tenant, meta.Sequence.Stream))
	}
	return w.Run(ctx)
}

func (s Store) block(msg *nats.Msg, tenant string, seq uint64) *Block {
	block := &Block{Tenant: tenant, Seq: seq, Stream: msg.Header.Get(HeaderStream), Signed: msg.Header.Get(HeaderSigned)}
	from, to, _ := strings.Cut(msg.Header.Get(HeaderResults), "-")
	block.From, _ = strconv.ParseUint(from, 10, 64)
	block.To, _ = strconv.ParseUint(to, 10, 64)
	return block
}

// since returns when the first result of a block was stored, and at for other messages.
func since(msg *nats.Msg, at time.Time) time.Time {
	if text := msg.Header.Get(HeaderSince); text != "" {
		if first, err := time.Parse(time.RFC3339Nano, text); err == nil && first.Before(at) {
			return first
		}
	}
	return at
}
