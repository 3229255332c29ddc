package natsio

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNoObject means that an object is not, or no longer, in the store.
var ErrNoObject = errors.New("no such object")

// Objects is an object store, for values that are too large for a message.
type Objects struct {
	conn  *Conn
	store jetstream.ObjectStore
	name  string
}

// Put stores a value.
func (o *Objects) Put(ctx context.Context, name string, value []byte) error {
	if _, err := o.store.Put(ctx, jetstream.ObjectMeta{Name: name}, bytes.NewReader(value)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Open returns a reader of a value, which ctx ends.
func (o *Objects) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := o.open(ctx, name)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Get returns a value.
func (o *Objects) Get(ctx context.Context, name string) ([]byte, error) {
	r, err := o.open(ctx, name)
	if err != nil {
		return nil, err
	}
	value := bytes.NewBuffer(make([]byte, 0, min(r.left, pageBytes)+bytes.MinRead))
	if _, err := value.ReadFrom(r); err != nil {
		return nil, err
	}
	return value.Bytes(), nil
}

func noObject(err error) error {
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return ErrNoObject
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Erase removes a value and its name from the stream itself, without a marker. Nothing
// happens if there is none.
func (o *Objects) Erase(ctx context.Context, name string) error {
	info, err := o.store.GetInfo(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	stream, err := o.conn.js.Stream(ctx, "OBJ_"+o.name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	prefix := "$O." + o.name
	for _, subject := range []string{prefix + ".C." + info.NUID, prefix + ".M." + base64.URLEncoding.EncodeToString([]byte(name))} {
		if err := stream.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return nil
}

// Names returns the names of all values.
func (o *Objects) Names(ctx context.Context) ([]string, error) {
	list, err := o.store.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	names := make([]string, len(list))
	for i, info := range list {
		names[i] = info.Name
	}
	return names, nil
}
