package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// Actions of an [Order].
const (
	// Pause makes workers take no further calls; they finish their own.
	Pause = "pause"
	// Resume ends a pause.
	Resume = "resume"
	// Drain makes a worker finish its calls and end.
	Drain = "drain"
)

// OrderPurpose is part of each order's signature, so that nothing else that a dispatcher
// signs is an order.
const OrderPurpose = "helve worker order v1"

const poolOrders, workerOrders = "pool.", "worker."

// Order is an operator's instruction to a worker, or to the workers of a pool. The last
// one of each is stored.
type Order struct {
	Action string `json:"action"`
	// Pool or Worker is set.
	Pool   string `json:"pool,omitempty"`
	Worker string `json:"worker,omitempty"`
	// By is the operator, At the time by the dispatcher's clock.
	By string    `json:"by,omitempty"`
	At time.Time `json:"at"`
	// Revision is that of the key at which the dispatcher stored the order. The bytes of an
	// order that are stored once more have another revision, so they are no order.
	Revision uint64 `json:"revision,omitempty"`
}

// Key returns the key under which the order is stored.
func (o *Order) Key() string {
	if o.Pool != "" {
		return poolOrders + o.Pool
	}
	return workerOrders + o.Worker
}

// Notes signs orders and reads signed ones.
type Notes interface {
	Seal(body []byte) (string, error)
	Open(text string) ([]byte, error)
}

var (
	errOrderKey = errors.New("the order is about another pool or worker than its key")
	errRepeated = errors.New("no dispatcher stored the order at this revision: an earlier order was stored once more")
)

// OpenOrder reads the order stored under key at a revision. Without a dispatcher's signature
// that notes verifies, or at another revision than the signed one, it is an error: a worker
// could make the NATS server store a value there.
func OpenOrder(notes Notes, key string, value []byte, revision uint64) (Order, error) {
	var o Order
	body, err := notes.Open(string(value))
	if err != nil {
		return o, fmt.Errorf("order %s: %w", key, err)
	}
	if err := json.Unmarshal(body, &o); err != nil {
		return o, fmt.Errorf("order %s: %w", key, err)
	}
	if o.Key() != key {
		return o, errOrderKey
	}
	if o.Revision != revision {
		return o, errRepeated
	}
	return o, nil
}

// Orders stores orders.
type Orders struct {
	Bucket *natsio.Bucket
	// Notes signs with the key of this process and verifies the signatures of all
	// dispatchers, Own only its own.
	Notes, Own Notes
}

// Give stores an order in place of the earlier one.
func (s *Orders) Give(ctx context.Context, o Order) error {
	return s.Bucket.PutNext(ctx, o.Key(), func(revision uint64) ([]byte, error) { return s.seal(o, revision) })
}

// Replace stores an order in place of the value that its key has at a revision. The error is
// [natsio.ErrExists] if the key has been changed since.
func (s *Orders) Replace(ctx context.Context, o Order, revision uint64) error {
	return s.Bucket.PutNext(ctx, o.Key(), func(next uint64) ([]byte, error) {
		switch _, now, err := s.Bucket.GetRevision(ctx, o.Key()); {
		case err != nil:
			return nil, err
		case now != revision:
			return nil, natsio.ErrExists
		}
		return s.seal(o, next)
	})
}

func (s *Orders) seal(o Order, revision uint64) ([]byte, error) {
	o.Revision = revision
	body, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	note, err := s.Notes.Seal(body)
	return []byte(note), err
}

// Paused returns the pauses of pools.
func (s *Orders) Paused(ctx context.Context) (map[string]Order, error) {
	paused := map[string]Order{}
	err := s.Bucket.LoadRevisions(ctx, func(key string, value []byte, revision uint64) {
		if o, err := OpenOrder(s.Notes, key, value, revision); err == nil && o.Pool != "" && o.Action == Pause {
			paused[o.Pool] = o
		}
	})
	return paused, err
}

// orderKept is the time for which an order that is in force no longer is kept.
const orderKept = 24 * time.Hour

// Renew signs the pauses of pools with the key of this process, because the key of a
// dispatcher is trusted only for a time after it is gone, and removes orders that are no
// longer needed: old ones, and those of workers that are gone.
func (s *Orders) Renew(ctx context.Context, live Live) error {
	ids := map[string]bool{}
	for _, workers := range live {
		for _, w := range workers {
			ids[w.ID] = true
		}
	}
	type entry struct {
		value    []byte
		revision uint64
	}
	stored := map[string]entry{}
	if err := s.Bucket.LoadRevisions(ctx, func(key string, value []byte, revision uint64) {
		stored[key] = entry{value, revision}
	}); err != nil {
		return err
	}
	var errs []error
	for key, e := range stored {
		o, err := OpenOrder(s.Notes, key, e.value, e.revision)
		if err != nil {
			continue // not ours to remove: its key may only not be confirmed yet
		}
		holds := o.Action == Pause && (o.Pool != "" || ids[o.Worker])
		_, mine := OpenOrder(s.Own, key, e.value, e.revision)
		switch {
		case holds && mine != nil:
			err = s.Replace(ctx, o, e.revision)
		case !holds && time.Since(o.At) > orderKept:
			_, err = s.Bucket.DeleteAt(ctx, key, e.revision)
		}
		if err != nil && !errors.Is(err, natsio.ErrExists) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// OrderPool returns the pool that the order under a key is about, and whether it is about
// one.
func OrderPool(key string) (pool string, ok bool) { return strings.CutPrefix(key, poolOrders) }

// OrderWorker returns the worker that the order under a key is about, and whether it is
// about one.
func OrderWorker(key string) (id string, ok bool) { return strings.CutPrefix(key, workerOrders) }
