package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// restartCallers is the number of HTTP callers, and of MCP clients.
	restartCallers = 8
	// restartEvery is the time between restarts, restartSoon the time in a run with a
	// given number of restarts.
	restartEvery = 5 * time.Second
	restartSoon  = 300 * time.Millisecond
)

// restarts makes callers over HTTP and MCP clients call through a proxy in front of two
// dispatchers, and restarts these one after the other. Failed calls are not retried:
// each of them counts.
func restarts(ctx context.Context, f *fleet, s *Sheet) error {
	number, every := f.calls(6), restartEvery
	if f.opts.Calls > 0 {
		every = restartSoon
	}
	if _, err := f.worker(ctx); err != nil {
		return err
	}
	var dispatchers [2]*node
	proxy := &roundRobin{}
	for i := range dispatchers {
		var err error
		if dispatchers[i], err = f.dispatcher(ctx); err != nil {
			return err
		}
		proxy.put(i, dispatchers[i])
	}
	url, closeProxy, err := proxy.serve(ctx)
	if err != nil {
		return err
	}
	defer closeProxy()
	crowds := map[string]*crowd{}
	busy, stop := context.WithCancel(ctx)
	defer stop()
	var callers sync.WaitGroup
	for way, at := range map[string]string{HTTP: url, MCP: url + "/mcp"} {
		call, hangUp, err := dial(ctx, way, at, restartCallers)
		if err != nil {
			return err
		}
		defer hangUp()
		c := &crowd{call: call}
		c.phase.Store(timing)
		crowds[way] = c
		for range restartCallers {
			callers.Go(func() { c.keepCalling(busy) })
		}
	}
	for i := range number {
		wait(ctx, every)
		at := i % len(dispatchers)
		dispatchers[at].stop()
		if dispatchers[at], err = f.dispatcher(ctx); err != nil {
			break
		}
		proxy.put(at, dispatchers[at])
	}
	wait(ctx, every)
	stop()
	for _, c := range crowds {
		c.phase.Store(over)
	}
	callers.Wait()
	if err != nil {
		return err
	}
	s.put("restarts", float64(number), "how often a dispatcher was restarted")
	return errors.Join(crowds[HTTP].report(HTTP, s), crowds[MCP].report(MCP, s))
}

// report adds the counts of a crowd to the sheet, and returns an error if a call
// failed.
func (c *crowd) report(way string, s *Sheet) error {
	s.put(way+"_calls", float64(c.times.count()), "calls that succeeded")
	s.put(way+"_p99_us", c.times.quantile(0.99), "")
	s.put(way+"_failed", float64(c.failed.Load()), "calls that failed")
	if first := c.first.Load(); first != nil {
		return fmt.Errorf("%s: of %d calls %d failed, the first: %s", way, c.times.count()+c.failed.Load(), c.failed.Load(), *first)
	}
	return nil
}

// roundRobin is a plain proxy: each request goes to the next dispatcher, or to the one
// after it if nothing listens there. A request that was sent once is not sent again, so no
// idle connections are kept to a dispatcher that leaves.
type roundRobin struct {
	hosts [2]atomic.Pointer[string]
	next  atomic.Uint64
	own   http.Transport
}

func (p *roundRobin) put(i int, dispatcher *node) {
	host := dispatcher.ready["http"][len("http://"):]
	p.hosts[i].Store(&host)
}

func (p *roundRobin) serve(ctx context.Context) (url string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	p.own.MaxIdleConnsPerHost = 2 * restartCallers
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "dispatcher" },
		Transport: p,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "proxy: "+err.Error(), http.StatusBadGateway)
		},
	}}
	go func() { _ = srv.Serve(listener) }() // until it is closed
	return "http://" + listener.Addr().String(), func() {
		srv.Close()
		p.own.CloseIdleConnections()
	}, nil
}

// RoundTrip implements [http.RoundTripper].
func (p *roundRobin) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	first := p.next.Add(1)
	for i := range uint64(len(p.hosts)) {
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.URL.Host = *p.hosts[(first+i)%uint64(len(p.hosts))].Load()
		r.Host = r.URL.Host
		resp, err = p.own.RoundTrip(r)
		if err == nil && resp.Close { // it leaves, and closes its idle connections soon
			p.own.CloseIdleConnections()
		}
		if failed, ok := errors.AsType[*net.OpError](err); !ok || failed.Op != "dial" {
			return resp, err
		}
	}
	return nil, err
}
