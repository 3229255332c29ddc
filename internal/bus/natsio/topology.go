package natsio

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// Topology makes and changes streams, buckets and object stores. A process whose
// credentials may not change streams, as a worker's, uses those that another process
// made, as they are.
type Topology struct{ Conn *Conn }

// forbiddenAfter is the longest time to wait for the answer to a request to make or change
// a stream after NATS has reported that it is not permitted: such a request gets no
// answer, only an error of the connection.
const forbiddenAfter = 2 * time.Second

// ensure calls write with the present configuration of a stream if the stream is missing
// or not as wanted.
func (t Topology) ensure(
	ctx context.Context, name string, wanted func(jetstream.StreamConfig) bool, write func(context.Context, jetstream.StreamConfig) error,
) error {
	var is jetstream.StreamConfig
	look, end := context.WithTimeout(ctx, ReadTimeout) // a request during an election gets no answer
	stream, err := t.Conn.js.Stream(look, name)
	end()
	if err == nil {
		if is = stream.CachedInfo().Config; wanted(is) {
			return nil
		}
	}
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("stream %s: %w", name, err)
	}
	there := err == nil
	if !there || !t.forbidden() { // credentials that may not change one stream may change none
		bounded, cancel := context.WithTimeout(ctx, forbiddenAfter)
		defer cancel()
		if err = write(bounded, is); err == nil {
			return nil
		}
		if !there && errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process made it meanwhile
			return t.ensure(ctx, name, wanted, write)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !t.forbidden() {
			return fmt.Errorf("stream %s: %w", name, err)
		}
	}
	if !there {
		return t.missing(name)
	}
	t.Conn.log.Warn("stream differs from the settings of this process; its credentials do not permit to change it", zap.String("stream", name))
	return nil
}

func (t Topology) missing(stream string) error {
	return fmt.Errorf("stream %s is missing and the credentials of %s may not make it; start a dispatcher", stream, t.Conn.opts.Name)
}

// There returns an error if a stream is missing, for a process that leaves it to others. A
// stream that is not as the process would make it is logged.
func (t Topology) There(ctx context.Context, s Stream) error {
	look, end := context.WithTimeout(ctx, ReadTimeout)
	defer end()
	stream, err := t.Conn.js.Stream(look, s.Name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return t.missing(s.Name)
	case err != nil:
		return fmt.Errorf("stream %s: %w", s.Name, err)
	case !s.suits(stream.CachedInfo().Config):
		t.Conn.log.Warn("stream differs from the settings of this process, which leaves it to dispatchers", zap.String("stream", s.Name))
	}
	return nil
}

// forbidden reports whether the last refusal of NATS was of a request to make or change a stream.
func (t Topology) forbidden() bool {
	err := t.Conn.nc.LastError()
	return errors.Is(err, nats.ErrPermissionViolation) &&
		(strings.Contains(err.Error(), `"`+t.Conn.API()+"STREAM.CREATE.") || strings.Contains(err.Error(), `"`+t.Conn.API()+"STREAM.UPDATE."))
}

// republishes returns r as a value that can be compared.
func republishes(r *jetstream.RePublish) jetstream.RePublish {
	if r == nil {
		return jetstream.RePublish{}
	}
	return *r
}

// orNone returns a bound as the server reports it: -1 for none.
func orNone(n int64) int64 {
	if n <= 0 {
		return -1
	}
	return n
}

// Stream is a stream to be made.
type Stream struct {
	jetstream.StreamConfig
	// Adapt returns the configuration for a stream that is there as is; nil means that
	// the configuration is the same for any.
	Adapt func(is jetstream.StreamConfig) jetstream.StreamConfig
}

// wanted returns the settings for a stream that is there as is.
func (s Stream) wanted(is jetstream.StreamConfig) jetstream.StreamConfig {
	if s.Adapt == nil {
		return s.StreamConfig
	}
	return s.Adapt(is)
}

// suits reports whether a stream that is there as is remains so.
func (s Stream) suits(is jetstream.StreamConfig) bool {
	generation, _ := stamp(is)
	return generation > Generation || fits(s.wanted(is), is)
}

// Stream makes or changes a stream. A stream that a process of a later generation wrote
// remains as it is.
func (t Topology) Stream(ctx context.Context, s Stream) error {
	return t.ensure(ctx, s.Name, s.suits, func(ctx context.Context, is jetstream.StreamConfig) error {
		return t.reserve(ctx, s.wanted(is), is)
	})
}

// Objects opens an object store.
func (t Topology) Objects(ctx context.Context, name string) (*Objects, error) {
	store, err := t.Conn.js.ObjectStore(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", name, err)
	}
	return &Objects{conn: t.Conn, store: store, name: name}, nil
}
