package natsio

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// A process that starts opens and reads some thirty streams and buckets. When a server of a
// cluster has just stopped, some of them have no leader for seconds, and one request without an
// answer would end the start. So JetStream is reached through this file only: while a process
// starts, each of its requests is repeated as long as nothing answers it.

// errUnanswered means that nothing answered a request to JetStream.
var errUnanswered = errors.New("nothing answers")

// sayAgain is the time after which the reason of a repetition is logged again.
const sayAgain = time.Minute

// Start is the start of a process, from the time when its streams are prepared.
type Start struct {
	ctx  context.Context // of the process
	conn *Conn
	keep func() bool
	up   bool
}

// Starting makes a connection repeat requests to JetStream that nothing answers, until their
// context ends or [Start.Done] is called. A running process answers its callers instead.
// Stop is called if ctx ends before.
func Starting(ctx context.Context, c *Conn, stop func()) *Start {
	c.starting.Store(true)
	return &Start{ctx: ctx, conn: c, keep: context.AfterFunc(ctx, stop)}
}

// Done ends the start. It returns false if the process was stopped before.
func (s *Start) Done() bool {
	s.conn.starting.Store(false)
	s.up = s.keep()
	return s.up
}

// Result returns the error with which the process ends: none if it was stopped while it started.
func (s *Start) Result(err error) error {
	select {
	case <-s.ctx.Done():
		if !s.up {
			return nil
		}
	default:
	}
	return err
}

// answered calls ask, and while the process starts calls it again as long as again reports that
// the error may end by itself. Each reason is logged once, and then every [sayAgain].
func answered[T any](ctx context.Context, c *Conn, what string, again func(error) bool, ask func() (T, error)) (T, error) {
	var said time.Time
	var last string
	for pause := repeatFirst; ; pause = min(2*pause, followAgain) {
		refused := c.nc.LastError()
		got, err := ask()
		if err == nil || !c.starting.Load() || ctx.Err() != nil || !again(err) {
			return got, err
		}
		//nolint:errorlint // the same value is the same report
		if now := c.nc.LastError(); now != refused && errors.Is(now, nats.ErrPermissionViolation) {
			return got, err // which gets no answer either
		}
		if text := err.Error(); text != last || time.Since(said) > sayAgain {
			last, said = text, time.Now()
			c.log.Warn("nats does not answer; trying again", zap.String("request", what), zap.Error(err))
		}
		Pause(ctx, pause)
	}
}

// attemptTimeout bounds one attempt of a request that may be sent twice, as the client library does
// where a context has no end. A request that reaches a server during an election is never
// answered, also not once the election is over.
const attemptTimeout = 5 * time.Second

// repeatable is answered for a request that may be sent twice.
func repeatable[T any](ctx context.Context, c *Conn, what string, ask func(context.Context) (T, error)) (T, error) {
	return answered(ctx, c, what, silent, func() (T, error) {
		attempt, end := context.WithTimeout(ctx, attemptTimeout)
		defer end()
		return ask(attempt)
	})
}

// nobodyThere reports whether an error means that nothing received a request. A write that nothing
// received was not stored.
func nobodyThere(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.Code == http.StatusServiceUnavailable && !storageLimits[int(api.ErrorCode)]
	}
	if api, ok := errors.AsType[*nats.APIError](err); ok {
		return api.Code == http.StatusServiceUnavailable && !storageLimits[int(api.ErrorCode)]
	}
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, errUnanswered) ||
		errors.Is(err, nats.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) // as the library calls it
}

// silent reports whether an error means that nothing received a request or nothing answered it.
func silent(err error) bool {
	return nobodyThere(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, nats.ErrDisconnected) || errors.Is(err, jetstream.ErrNoHeartbeat)
}

// jetStream is JetStream whose requests are repeated while a process starts.
type jetStream struct {
	jetstream.JetStream
	conn *Conn
}

func (j jetStream) KeyValue(ctx context.Context, bucket string) (jetstream.KeyValue, error) {
	kv, err := repeatable(ctx, j.conn, "open bucket "+bucket, func(ctx context.Context) (jetstream.KeyValue, error) {
		return j.JetStream.KeyValue(ctx, bucket)
	})
	if err != nil {
		return nil, err
	}
	return keyValue{kv, j.conn}, nil
}

func (j jetStream) ObjectStore(ctx context.Context, name string) (jetstream.ObjectStore, error) {
	return repeatable(ctx, j.conn, "open object store "+name, func(ctx context.Context) (jetstream.ObjectStore, error) {
		return j.JetStream.ObjectStore(ctx, name)
	})
}

func (j jetStream) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	s, err := repeatable(ctx, j.conn, "open stream "+name, func(ctx context.Context) (jetstream.Stream, error) {
		return j.JetStream.Stream(ctx, name)
	})
	if err != nil {
		return nil, err
	}
	return stream{s, j.conn, name}, nil
}

func (j jetStream) CreateConsumer(ctx context.Context, stream string, cfg jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	return answered(ctx, j.conn, "make a consumer of "+stream, nobodyThere, func() (jetstream.Consumer, error) {
		return j.JetStream.CreateConsumer(ctx, stream, cfg)
	})
}

func (j jetStream) CreateOrUpdateConsumer(ctx context.Context, stream string, cfg jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	return repeatable(ctx, j.conn, "make a consumer of "+stream, func(ctx context.Context) (jetstream.Consumer, error) {
		return j.JetStream.CreateOrUpdateConsumer(ctx, stream, cfg)
	})
}

func (j jetStream) PublishMsg(ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	return answered(ctx, j.conn, "publish "+msg.Subject, nobodyThere, func() (*jetstream.PubAck, error) {
		return j.JetStream.PublishMsg(ctx, msg, opts...)
	})
}

// stream is a stream of a [jetStream].
type stream struct {
	jetstream.Stream
	conn *Conn
	name string
}

func (s stream) Info(ctx context.Context, opts ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	return repeatable(ctx, s.conn, "read the state of "+s.name, func(ctx context.Context) (*jetstream.StreamInfo, error) {
		return s.Stream.Info(ctx, opts...)
	})
}

func (s stream) OrderedConsumer(ctx context.Context, cfg jetstream.OrderedConsumerConfig) (jetstream.Consumer, error) {
	return answered(ctx, s.conn, "follow "+s.name, silent, func() (jetstream.Consumer, error) { return s.Stream.OrderedConsumer(ctx, cfg) })
}

// keyValue is a bucket of a [jetStream].
type keyValue struct {
	jetstream.KeyValue
	conn *Conn
}

func (k keyValue) Watch(ctx context.Context, keys string, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	return answered(ctx, k.conn, "follow bucket "+k.Bucket(), silent, func() (jetstream.KeyWatcher, error) {
		return k.KeyValue.Watch(ctx, keys, opts...)
	})
}

func (k keyValue) WatchAll(ctx context.Context, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	return k.Watch(ctx, ">", opts...)
}

func (k keyValue) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	return repeatable(ctx, k.conn, "read bucket "+k.Bucket(), func(ctx context.Context) (jetstream.KeyValueEntry, error) {
		return k.KeyValue.Get(ctx, key)
	})
}

func (k keyValue) Put(ctx context.Context, key string, value []byte) (uint64, error) {
	return k.write(ctx, silent, func() (uint64, error) { return k.KeyValue.Put(ctx, key, value) })
}

func (k keyValue) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	return k.write(ctx, nobodyThere, func() (uint64, error) { return k.KeyValue.Create(ctx, key, value, opts...) })
}

func (k keyValue) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return k.write(ctx, nobodyThere, func() (uint64, error) { return k.KeyValue.Update(ctx, key, value, revision) })
}

func (k keyValue) Delete(ctx context.Context, key string, opts ...jetstream.KVDeleteOpt) error {
	_, err := k.write(ctx, nobodyThere, func() (uint64, error) { return 0, k.KeyValue.Delete(ctx, key, opts...) })
	return err
}

func (k keyValue) Purge(ctx context.Context, key string, opts ...jetstream.KVDeleteOpt) error {
	_, err := k.write(ctx, nobodyThere, func() (uint64, error) { return 0, k.KeyValue.Purge(ctx, key, opts...) })
	return err
}

func (k keyValue) write(ctx context.Context, again func(error) bool, put func() (uint64, error)) (uint64, error) {
	return answered(ctx, k.conn, "write to bucket "+k.Bucket(), again, put)
}
