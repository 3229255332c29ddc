package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/client"
)

const (
	listenerCount = 1000
	// opening is the number of listeners that connect concurrently.
	opening = 64
	// listenTimeout is the time in which all of them must receive the events of their
	// calls.
	listenTimeout = time.Minute
)

// listeners measures the cost of open event streams and MCP clients for one dispatcher:
// each stream follows a trace of its own and receives the events of one call in it,
// each client makes one call, and then they wait.
func listeners(ctx context.Context, f *fleet, s *Sheet) error {
	total := f.calls(listenerCount)
	dispatcher, err := f.dispatcher(ctx)
	if err != nil {
		return err
	}
	if _, err := f.worker(ctx); err != nil {
		return err
	}
	if err := sendTogether(ctx, f.nats, min(total, warmCalls), 4, echoCall(), time.Minute, succeeded); err != nil {
		return err
	}
	cost := waiting{nodes: []*node{dispatcher, f.broker()}, length: f.opts.Time}
	if err := cost.before(ctx); err != nil {
		return err
	}
	began := time.Now()
	a := audience{url: dispatcher.ready["http"], client: &http.Client{Transport: &http.Transport{}}}
	open, leave := context.WithCancel(ctx)
	defer a.reading.Wait()
	defer leave()
	if err := a.gather(open, total); err != nil {
		return err
	}
	s.put("listeners", float64(total), "event streams that are open, each of a trace of its own")
	s.put("listen_per_s", float64(total)/time.Since(began).Seconds(), "streams opened a second")
	if err := a.perform(ctx, f.nats, total); err != nil {
		return err
	}
	hangUp, err := mcpClients(ctx, a.url+"/mcp", total)
	defer hangUp()
	if err != nil {
		return err
	}
	s.put("mcp_clients", float64(total), "MCP clients that are connected, each of which has called")
	if err := cost.after(ctx); err != nil {
		return err
	}
	cost.report(s)
	s.put("rss_kib_per_listener", float64(cost.held[0].RSS-cost.clean[0].RSS)/1024/float64(total), "memory of the dispatcher for one of each")
	return nil
}

// audience is a set of listeners.
type audience struct {
	url    string
	client *http.Client

	heard   atomic.Int64
	reading sync.WaitGroup
}

// traceFor returns the trace of a listener.
func traceFor(i int) string { return fmt.Sprintf("%032x", i+1) }

// gather opens that many streams, which end with ctx.
func (a *audience) gather(ctx context.Context, total int) error {
	return inParallel(ctx, total, func(_ context.Context, i int) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+"/v1/events?trace_id="+traceFor(i), nil)
		if err != nil {
			return err
		}
		resp, err := a.client.Do(req)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			_ = resp.Body.Close()
			return fmt.Errorf("the dispatcher answered %s", resp.Status)
		}
		a.reading.Go(func() { a.listen(resp) })
		return nil
	})
}

// listen reads a stream to its end, and counts the calls whose end it reports.
func (a *audience) listen(resp *http.Response) {
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if bytes.Equal(lines.Bytes(), []byte("event: done")) {
			a.heard.Add(1)
		}
	}
}

// perform makes a call in the trace of each listener, and waits until all have received
// its end.
func (a *audience) perform(ctx context.Context, url string, total int) error {
	c, err := client.New(url)
	if err != nil {
		return err
	}
	defer c.Close()
	err = inParallel(ctx, total, func(ctx context.Context, i int) error {
		resp, err := c.Execute(ctx, client.Request{
			TraceID: traceFor(i), Calls: []client.Call{{Tool: "debug.echo", Arguments: json.RawMessage(`{"value":1}`)}},
		})
		if err != nil {
			return err
		}
		return succeeded(resp.Results[0])
	})
	for end := time.Now().Add(listenTimeout); err == nil && a.heard.Load() < int64(total); wait(ctx, 10*time.Millisecond) {
		if ctx.Err() != nil || time.Now().After(end) {
			err = fmt.Errorf("%d of %d listeners received the end of their call", a.heard.Load(), total)
		}
	}
	return err
}

// inParallel does something n times, some concurrently, and stops at the first error.
func inParallel(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	room := make(chan struct{}, opening)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			if err := do(ctx, i); err != nil {
				stop(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}
