package natsio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/gopool"
)

// Each message of a shared durable consumer goes to one of the processes that share it,
// and to another if that process dies.
const (
	sharedAckWait = 3 * time.Second
	sharedAtOnce  = 256
	sharedRetry   = time.Second
	// sharedAsks is the longest time that one request for work waits, and sharedHeartbeat
	// the time after which the server must show that it still has the request. After two
	// missing heartbeats the consumer is looked up.
	sharedAsks      = 10 * time.Second
	sharedHeartbeat = 2 * time.Second
	// sharedBeat is the pause between signals that keep work in progress from another delivery.
	sharedBeat = sharedAckWait / 3
	// sharedAgain is the pause between attempts to make the consumer again.
	sharedAgain = time.Second
	// sharedLook is the pause between comparisons of the consumer with its settings.
	sharedLook = 2 * time.Second
)

// Work is one piece of shared work. ID is the last token of its subject, Seq its
// place in the stream.
type Work struct {
	Tenant, ID string
	Subject    string
	Data       []byte
	Seq        uint64
	// Tries counts the deliveries, this one included.
	Tries uint64
	// Again means that another process may have begun it before.
	Again bool
}

// Shared is a durable consumer that several processes share.
type Shared struct {
	Conn *Conn
	// Name is that of the consumer on Stream, Filter the subjects of its work.
	Stream, Name, Filter string
	// Restore makes the stream again, for a server that lost its data.
	Restore func(context.Context) error
}

// Serve calls handle for each piece of work, in one process, until ctx ends, and again
// where handle fails. It returns when the work is taken up. A consumer that is gone, because
// it was deleted or NATS came back without its data, is made again, and a consumer that was
// altered is changed back: neither loses work, because work is in the stream until it is done.
func (s Shared) Serve(ctx context.Context, handle func(context.Context, Work) error) error {
	gone := make(chan struct{}, 1)
	remade := Remade(s.Conn, s.Stream)
	stop, err := s.begin(ctx, handle, gone)
	if err != nil {
		return err
	}
	s.Conn.Go(func() {
		look := time.NewTicker(sharedLook)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				stop()
				return
			case <-gone:
			case <-remade:
			case <-look.C:
				if !s.lost(ctx) {
					continue
				}
			}
			stop()
			for {
				remade = Remade(s.Conn, s.Stream)
				err := s.Restore(ctx)
				if err == nil {
					stop, err = s.begin(ctx, handle, gone)
				}
				if err == nil {
					break
				}
				if ctx.Err() != nil {
					return
				}
				s.Conn.log.Warn("shared work not taken up; trying again", zap.String("consumer", s.Name), zap.Error(err))
				Pause(ctx, sharedAgain)
			}
		}
	})
	return nil
}

func (s Shared) begin(ctx context.Context, handle func(context.Context, Work) error, gone chan<- struct{}) (stop func(), err error) {
	consumer, err := Topology{Conn: s.Conn}.EnsureConsumer(ctx, s.Stream, s.config())
	if err != nil {
		return nil, fmt.Errorf("%w: consumer %s: %w", ErrUnavailable, s.Name, err)
	}
	run, err := consumer.Consume(func(m jetstream.Msg) {
		work := Work{Subject: m.Subject(), Data: m.Data()}
		work.Tenant, work.ID = s.Conn.tree.TenantAndLast(m.Subject())
		if meta, err := m.Metadata(); err == nil {
			work.Again, work.Tries, work.Seq = meta.NumDelivered > 1, meta.NumDelivered, meta.Sequence.Stream
		}
		s.Conn.Go(func() { s.work(ctx, m, func() error { return handle(ctx, work) }) })
	}, jetstream.PullMaxMessages(sharedAtOnce), jetstream.PullExpiry(sharedAsks), jetstream.PullHeartbeat(sharedHeartbeat),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			// A missing heartbeat can mean that there is no consumer to send one.
			if errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) ||
				errors.Is(err, jetstream.ErrNoHeartbeat) && s.lost(ctx) {
				select {
				case gone <- struct{}{}:
				default:
				}
			}
		}))
	if err != nil {
		return nil, fmt.Errorf("%w: consumer %s: %w", ErrUnavailable, s.Name, err)
	}
	return run.Stop, nil
}

func (s Shared) config() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable: s.Name, FilterSubject: s.Filter, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: sharedAckWait, MaxAckPending: sharedAtOnce, MaxDeliver: -1,
	}
}

// lost reports whether the server has no such consumer, or has it with other settings.
func (s Shared) lost(ctx context.Context) bool {
	state, err := Topology{Conn: s.Conn}.ConsumerState(ctx, s.Stream, s.config())
	if err == nil && state.Problem != "" && ctx.Err() == nil {
		s.Conn.log.Error("consumer not as it must be, made again", zap.String("consumer", s.Name), zap.String("problem", state.Problem))
	}
	return err == nil && state.Problem != ""
}

// work runs do for one message and settles it.
func (s Shared) work(ctx context.Context, m jetstream.Msg, do func() error) {
	beat := time.NewTicker(sharedBeat)
	defer beat.Stop()
	done := make(chan error, 1)
	s.Conn.Go(func() { done <- gopool.Catch(do) })
	for {
		select {
		case <-beat.C:
			_ = m.InProgress() // if it is lost another process does the work too
		case err := <-done:
			if err != nil {
				if ctx.Err() == nil {
					s.Conn.log.Warn("shared work failed; trying again", zap.String("consumer", s.Name), zap.Error(err))
				}
				err = m.NakWithDelay(sharedRetry)
			} else {
				err = m.Ack()
			}
			if err != nil && ctx.Err() == nil {
				s.Conn.log.Warn("shared work not settled; it is done again", zap.String("consumer", s.Name), zap.Error(err))
			}
			return
		}
	}
}
