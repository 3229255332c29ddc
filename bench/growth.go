package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	growthCalls   = 10_000_000
	growthStep    = 100_000
	growthCallers = 64
	// growthLimit limits the duration of one step.
	growthLimit = 10 * time.Minute
)

// growth makes many calls and measures the memory of every process in between, each
// time after it freed unused memory. Once the broker has the maximum number of result
// messages, calls are refused until some expire: these are counted and not a fault.
func growth(ctx context.Context, f *fleet, s *Sheet) error {
	total := f.calls(growthCalls)
	step := min(growthStep, max(total/2, 1))
	worker, err := f.worker(ctx)
	if err != nil {
		return err
	}
	dispatcher, err := f.dispatcher(ctx)
	if err != nil {
		return err
	}
	caller, err := f.start(ctx, roleCaller)
	if err != nil {
		return err
	}
	nodes := []*node{f.broker(), dispatcher, worker, caller}
	s.Columns = []string{"calls", "calls/s", "messages of results", "broker MiB", "dispatcher MiB", "worker MiB", "caller MiB", "refused"}
	for done := 0; done < total; {
		n := min(step, total-done)
		t, err := somany(ctx, caller, load{Way: NATS, URL: f.nats, Callers: growthCallers, Run: growthLimit, Calls: int64(n)})
		if err != nil {
			return err
		}
		if t.Failed > 0 && !strings.Contains(t.First, "is full") {
			return fmt.Errorf("%d calls did not succeed; the first: %s", t.Failed, t.First)
		}
		if done += n; t.Calls+t.Failed < int64(n) {
			return fmt.Errorf("only %d of %d calls were made within %v", t.Calls+t.Failed, n, growthLimit)
		}
		kept, err := keptResults(ctx, f.nats)
		if err != nil {
			return err
		}
		row := []float64{float64(done), float64(t.Calls) / t.Seconds, float64(kept)}
		for _, n := range nodes {
			u, err := n.held(ctx)
			if err != nil {
				return err
			}
			row = append(row, float64(u.RSS)/(1<<20))
		}
		s.Rows = append(s.Rows, append(row, float64(t.Failed)))
		f.opts.sayf("%d of %d calls, %.0f calls/s, MiB: broker %.0f, dispatcher %.0f, worker %.0f", done, total, row[1], row[3], row[4], row[5])
		f.trim()
	}
	s.grown()
	return nil
}

// grown adds the summary of the rows: the memory that each process holds at the end in
// excess of the first step.
func (s *Sheet) grown() {
	first, last := s.Rows[0], s.Rows[len(s.Rows)-1]
	const calls, kept, broker = 0, 2, 3
	for i, process := range []string{"broker", "dispatcher", "worker", "caller"} {
		if more := last[calls] - first[calls]; more > 0 {
			s.put(process+"_bytes_per_call", (last[broker+i]-first[broker+i])*(1<<20)/more,
				"memory that the "+process+" gained for each call after the first step")
		}
	}
	if more := last[kept] - first[kept]; more > 0 {
		s.put("broker_bytes_per_message", (last[broker]-first[broker])*(1<<20)/more,
			"memory that the broker gained for each message of results that it keeps")
	}
}

// somany makes a caller send a number of calls.
func somany(ctx context.Context, caller *node, l load) (t tally, err error) {
	if err := caller.send(order{Load: l}); err != nil {
		return t, err
	}
	var mark string
	if err := caller.hear(ctx, answerTimeout, &mark); err != nil {
		return t, err
	}
	if err := caller.hear(ctx, l.Run+answerTimeout, &mark); err != nil {
		return t, err
	}
	return t, caller.hear(ctx, answerTimeout, &t)
}

// keptResults returns the number of messages in the results stream.
func keptResults(ctx context.Context, url string) (uint64, error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, err
	}
	name, err := js.StreamNameBySubject(ctx, "helve.v1.default.result.pool.origin.call")
	if err != nil {
		return 0, err
	}
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return 0, err
	}
	return stream.CachedInfo().State.Msgs, nil
}
