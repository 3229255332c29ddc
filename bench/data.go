package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// dataCalls are calls that read and write personal data, after a call that does nothing.
var dataCalls = []example{
	{"debug.echo", `{"value":1}`},
	{"add_note", `{"title":"Groceries for the weekend","content":"milk, bread, apples and something for Sunday"}`},
	{"list_tasks", `{"status":"pending","limit":20}`},
}

// dataCallers is the number of concurrent callers.
const dataCallers = 64

// data times the tools of personal data beside a tool that does nothing, by one caller and by
// many.
func data(ctx context.Context, f *fleet, s *Sheet) error {
	if err := timeTools(ctx, f, s, dataCalls); err != nil {
		return err
	}
	var noop float64
	for _, c := range dataCalls {
		rate, err := callRate(ctx, f, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.tool, err)
		}
		if noop == 0 {
			noop = rate
		}
		s.put(c.tool+"_rate", rate, fmt.Sprintf("calls a second by %d callers", dataCallers))
		s.put(c.tool+"_rate_of_noop", rate/noop, "of the rate of the tool that does nothing")
	}
	return nil
}

// callRate returns how many calls of a tool are answered in a second.
func callRate(ctx context.Context, f *fleet, c example) (float64, error) {
	n, took, err := callFor(ctx, f, c)
	return float64(n) / took.Seconds(), err
}

// callFor makes calls of a tool by many callers for the time of all rounds, and returns how
// many were answered.
func callFor(ctx context.Context, f *fleet, c example) (n int64, took time.Duration, err error) {
	nc, err := nats.Connect(f.nats, nats.Name("helve-bench"))
	if err != nil {
		return 0, 0, err
	}
	defer nc.Close()
	length := time.Duration(f.opts.Rounds) * f.opts.Time
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var answered atomic.Int64
	failed := make(chan error, dataCallers)
	var all sync.WaitGroup
	start := time.Now()
	for n := range dataCallers {
		// Each caller is a person: PostgreSQL commits calls of one person in turn.
		body := fmt.Appendf(nil, `{"context":{"user":"u%d"},"calls":[{"tool":%q,"arguments":%s}]}`, n, c.tool, c.arguments)
		all.Go(func() {
			for ctx.Err() == nil {
				if err := callTool(nc, body); err != nil {
					failed <- err
					return
				}
				answered.Add(1)
			}
		})
	}
	all.Wait()
	select {
	case err := <-failed:
		return 0, time.Since(start), err
	default:
		return answered.Load(), time.Since(start), nil
	}
}
