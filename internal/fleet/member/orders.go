package member

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/identity/token"
)

// Orders carries out the orders of operators. A pause of a pool also holds for workers that
// start later; a pause of a worker ends with its process.
type Orders struct {
	OrdersOptions

	mu        sync.Mutex
	pools     map[string]bool // which an operator paused
	self      bool            // an operator paused this worker
	consumers map[string]*queue.Consumer
	announcer *fleet.Announcer
	// open are the orders whose signature no dispatcher has confirmed yet.
	open map[string]storedOrder
	// displaced are the keys whose value at the start was no order: it may have displaced
	// one.
	displaced map[string]bool
	// begun is set when the orders were read that were stored before the start. Those
	// about a worker are about an earlier process of its name.
	begun bool
}

// storedOrder is a value of the bucket of orders.
type storedOrder struct {
	value    []byte
	revision uint64
}

// OrdersOptions holds what [Orders] need.
type OrdersOptions struct {
	Worker string // its id
	Pools  []string
	Ring   *token.Keyring
	// Drain makes the worker drain.
	Drain func()
	Log   *zap.Logger
}

// NewOrders returns the orders of a worker that follows none yet.
func NewOrders(o OrdersOptions) *Orders {
	return &Orders{OrdersOptions: o, pools: map[string]bool{}, open: map[string]storedOrder{}, displaced: map[string]bool{}}
}

// orderAgain is the pause before an order is read again whose signature could not be
// verified yet.
const orderAgain = time.Second

// Follow carries out orders until life ends. When it returns, pauses of pools are known.
func (o *Orders) Follow(life context.Context, q *queue.Queue) error {
	bucket, err := q.Conn.Bucket(life, streams.BucketOrders)
	if err != nil {
		return err
	}
	if err := bucket.FollowRevisions(life, func(key string, value []byte, revision uint64) {
		o.change(life, key, storedOrder{value, revision})
	}); err != nil {
		return err
	}
	o.mu.Lock()
	o.begun = true
	o.mu.Unlock()
	go func() {
		again := time.NewTicker(orderAgain)
		defer again.Stop()
		for {
			select {
			case <-life.Done():
				return
			case <-again.C:
				o.retry(life)
			}
		}
	}()
	return nil
}

// retry reads the orders again that could not be verified.
func (o *Orders) retry(life context.Context) {
	o.mu.Lock()
	open := o.open
	o.open = map[string]storedOrder{}
	o.mu.Unlock()
	for key, stored := range open {
		o.change(life, key, stored)
	}
}

// change carries out the order stored under key. Until its signature is verified, an order
// about a pool pauses the pool. At the start a value that is no order pauses it too, because
// it may be stored in place of a pause; a dispatcher stores that again, or removes the
// value. A removed order changes nothing else: dispatchers remove only those that hold no
// longer.
func (o *Orders) change(life context.Context, key string, stored storedOrder) {
	if !o.mine(key) {
		return
	}
	log := o.Log
	var order fleet.Order
	var err error
	if stored.value != nil {
		order, err = fleet.OpenOrder(token.Notes{Ring: o.Ring, Purpose: fleet.OrderPurpose}, key, stored.value, stored.revision)
	}
	refusal, _ := errors.AsType[*token.Refusal](err)
	o.mu.Lock()
	delete(o.open, key)
	switch {
	case refusal != nil && refusal.Binding == token.Unconfirmed:
		o.open[key] = stored
	case err != nil:
		o.displaced[key] = !o.begun || o.displaced[key]
	case stored.value == nil:
		delete(o.displaced, key)
	default:
		delete(o.displaced, key)
		if order.Pool != "" {
			o.pools[order.Pool] = order.Action == fleet.Pause
		} else if order.Action != fleet.Drain {
			o.self = order.Action == fleet.Pause
		}
	}
	_, waits := o.open[key]
	o.mu.Unlock()
	switch {
	case waits:
		log.Debug("order not verified yet", zap.String("key", key))
	case err != nil:
		log.Error("order refused", zap.String("key", key), zap.Error(err))
	case stored.value == nil:
	default:
		log.Info("order of an operator received", zap.String("action", order.Action), zap.String("pool", order.Pool), zap.String("by", order.By))
		if order.Action == fleet.Drain && order.Worker != "" {
			o.Drain()
			return
		}
	}
	o.apply(life)
}

// mine reports whether the orders under a key are for this worker.
func (o *Orders) mine(key string) bool {
	if id, ok := fleet.OrderWorker(key); ok {
		o.mu.Lock()
		defer o.mu.Unlock()
		return id == o.Worker && o.begun
	}
	pool, ok := fleet.OrderPool(key)
	return ok && slices.ContainsFunc(o.Pools, func(own string) bool {
		return own == pool || queue.BasePool(own) == pool
	})
}

// paused reports whether calls of a pool are not to be taken. The caller holds mu.
func (o *Orders) paused(pool string) bool {
	if o.self {
		return true
	}
	for _, name := range []string{pool, queue.BasePool(pool)} {
		key := (&fleet.Order{Pool: name}).Key()
		if _, open := o.open[key]; open || o.displaced[key] || o.pools[name] {
			return true
		}
	}
	return false
}

// Take passes the consumers, each of which is paused, and resumes those that may take calls.
func (o *Orders) Take(consumers map[string]*queue.Consumer, announcer *fleet.Announcer) error {
	o.mu.Lock()
	o.consumers, o.announcer = consumers, announcer
	o.mu.Unlock()
	return o.set()
}

// set pauses and resumes the consumers as the orders are.
func (o *Orders) set() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var errs []error
	for pool, c := range o.consumers {
		if o.paused(pool) {
			c.Pause()
		} else {
			errs = append(errs, c.Resume())
		}
	}
	return errors.Join(errs...)
}

// apply sets the consumers and announces it.
func (o *Orders) apply(life context.Context) {
	if err := o.set(); err != nil {
		o.Log.Error("pool not resumed", zap.Error(err))
	}
	o.mu.Lock()
	announcer := o.announcer
	o.mu.Unlock()
	if announcer != nil {
		if err := announcer.Repeat(life); err != nil {
			o.Log.Debug("changed state not announced; it is repeated", zap.Error(err))
		}
	}
}

// Load returns the present work in a pool, as the queue has it.
func (o *Orders) Load(pool string) queue.Load {
	o.mu.Lock()
	defer o.mu.Unlock()
	load := queue.Load{Paused: o.paused(pool)}
	if c := o.consumers[pool]; c != nil {
		load = c.Load()
	}
	return load
}
