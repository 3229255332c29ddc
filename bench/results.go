package bench

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/queue"
)

const (
	// memoryEvery is the interval at which the worker's memory is measured.
	memoryEvery = 50 * time.Millisecond
	// stallTimeout ends a wait without progress.
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
	// A subject ends in result.<pool>.<origin>.<call_id>.
	calls := []string{msg.Subject[strings.LastIndexByte(msg.Subject, '.')+1:]}
	if group := msg.Header.Get(queue.HeaderGroup); group != "" {
		calls = queue.GroupCalls(group)
	}
	if n := bytes.Count(msg.Data, success); n < len(calls) {
		r.wrong = fmt.Errorf("%d of %d calls did not succeed: %.300s", len(calls)-n, len(calls), msg.Data)
	}
	for _, callID := range calls {
		if r.seen[callID] {
			r.wrong = fmt.Errorf("call %s has two results", callID)
			return
		}
		r.seen[callID] = true
	}
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

// await waits for every result and returns the worker's memory meanwhile, in MiB.
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
