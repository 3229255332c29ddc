package bench

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// memoryEvery is how often the worker's memory is looked at.
	memoryEvery = 50 * time.Millisecond
	// stallTimeout ends a wait in which nothing happens.
	stallTimeout = 30 * time.Second
)

// results counts the results that workers publish, once for each call.
type results struct {
	nc   *nats.Conn
	want int
	all  chan struct{} // closed when every call has ended

	mu     sync.Mutex
	seen   map[string]bool
	wrong  error
	latest time.Time
}

func watchResults(url string, want int) (*results, error) {
	r := &results{want: want, all: make(chan struct{}), seen: make(map[string]bool, want)}
	var err error
	if r.nc, err = nats.Connect(url); err != nil {
		return nil, err
	}
	sub, err := r.nc.Subscribe("helve.v1.default.result.>", r.count)
	if err == nil {
		err = sub.SetPendingLimits(-1, -1)
	}
	if err == nil {
		err = r.nc.Flush()
	}
	if err != nil {
		r.nc.Close()
		return nil, err
	}
	return r, nil
}

func (r *results) close() { r.nc.Close() }

func (r *results) count(msg *nats.Msg) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// A subject ends with result.<origin>.<call_id>.
	callID := msg.Subject[strings.LastIndexByte(msg.Subject, '.')+1:]
	if r.seen[callID] {
		r.wrong = fmt.Errorf("call %s has two results", callID)
		return
	}
	if !bytes.Contains(msg.Data, success) {
		r.wrong = fmt.Errorf("a call did not succeed: %.300s", msg.Data)
	}
	r.seen[callID] = true
	r.latest = time.Now()
	if len(r.seen) == r.want {
		close(r.all)
	}
}

func (r *results) last() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest
}

// await waits for every result and returns the memory of worker on the way, in
// MiB.
func (r *results) await(ctx context.Context, worker *node) ([]float64, error) {
	var memory []float64
	began := time.Now()
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-r.all:
			ended = true
		case <-tick.C:
		}
		u, err := worker.usage(ctx)
		if err != nil {
			return nil, err
		}
		memory = append(memory, float64(u.RSS)/(1<<20))
		if idle := time.Since(r.last()); idle > stallTimeout && time.Since(began) > stallTimeout {
			return nil, fmt.Errorf("nothing ended for %v; %d calls are left", stallTimeout, r.left())
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return memory, r.wrong
}

func (r *results) left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.want - len(r.seen)
}
