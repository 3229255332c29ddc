package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// bodiesCode fetches ten bodies of the maximum size for scripts.
const bodiesCode = `const size = async () => (await (await fetch(args.url)).arrayBuffer()).byteLength;
return await Promise.all(Array.from({length: 10}, size));`

// handover is a worker's default budget for answers to scripts.
const handover = 256 << 20

// bodies measures the memory that scripts with many fetches take in the process that
// fetches for them, and the waiting time of another user of the tenant.
func bodies(ctx context.Context, f *fleet, s *Sheet) error {
	pool, err := sandbox.New(sandbox.Options{Program: f.opts.Child})
	if err != nil {
		return err
	}
	defer pool.Close()
	guard, err := netguard.New(netguard.Options{Allow: []string{"127.0.0.1"}})
	if err != nil {
		return err
	}
	defer guard.Close()
	server, err := f.start(ctx, roleBodies)
	if err != nil {
		return err
	}
	defer server.stop()
	b := &bodyLoad{pool: pool, guard: guard, args: fmt.Appendf(nil, `{"url":%q}`, server.ready["http"]), budget: js.NewBudget(handover)}
	debug.FreeOSMemory() // left by the measurements before this one
	s.put("bodies_rss_alone_mib", mib(residentBytes()), "MiB of the parent before any script fetches")
	alone, err := b.bystanders(ctx, f.opts.Time)
	if err != nil {
		return err
	}
	s.put("bodies_bystander_alone_p99_ms", alone.quantile(0.99)/1000, "milliseconds of a short script of another user, alone, 99th percentile")
	for _, callers := range []int{6, 24} {
		n := strconv.Itoa(callers)
		beside, rss, err := b.under(ctx, callers, f.opts.Time)
		if err != nil {
			return err
		}
		s.put("bodies_"+n+"_bystander_p99_ms", beside.quantile(0.99)/1000,
			"the same beside "+n+" calls of a script that fetches ten bodies of 5 MB")
		s.put("bodies_"+n+"_times", beside.quantile(0.99)/alone.quantile(0.99), "how many times as long that is")
		s.put("bodies_"+n+"_rss_mib", mib(rss), "most MiB of the parent meanwhile")
	}
	s.put("bodies_done", float64(b.done.Load()), "such calls that were answered")
	s.put("bodies_refused", float64(b.refused.Load()), "such calls that were refused as too many")
	s.put("bodies_ended", float64(b.ended.Load()), "such calls that were ended at their memory limit")
	return nil
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// serveBodies serves one body to each request, from one piece of memory, until ctx
// ends. It represents a server on another machine, so it uses only idle processor time.
func (c *child) serveBodies(ctx context.Context) error {
	lowestPriority()
	body := bytes.Repeat([]byte("0123456789abcdef"), js.MaxBody/16)
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // it fails if the script has gone
	})}
	go func() { _ = server.Serve(l) }() // it ends with Close
	fmt.Fprintf(c, "ready http=http://%s/\n", l.Addr())
	<-ctx.Done()
	return server.Close()
}

type bodyLoad struct {
	pool                 *sandbox.Pool
	guard                *netguard.Guard
	args                 json.RawMessage
	budget               *js.Budget
	done, refused, ended atomic.Int64
}

// bystanders times short scripts of another user, one after the other.
func (b *bodyLoad) bystanders(ctx context.Context, length time.Duration) (*histogram, error) {
	p := &probe{about: "a bystander", slow: true, call: func(ctx context.Context) error {
		_, err := b.pool.Run(ctx, sandbox.Job{Tenant: "bench", User: "modest", Name: "small", Code: smallBody, Args: json.RawMessage(smallArgs)})
		return err
	}}
	err := p.time(ctx, length)
	return &p.times, err
}

// under times them beside that many callers, and returns the maximum memory of this
// process.
func (b *bodyLoad) under(ctx context.Context, callers int, length time.Duration) (*histogram, int64, error) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	for range callers {
		all.Go(func() {
			for within.Err() == nil {
				if err := b.fetchAll(within); err != nil && within.Err() == nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	var most int64
	all.Go(func() {
		for within.Err() == nil {
			most = max(most, residentBytes())
			select {
			case <-time.After(5 * time.Millisecond):
			case <-within.Done():
			}
		}
	})
	for began := b.over(); b.over() == began && failed.Load() == nil && ctx.Err() == nil; {
		runtime.Gosched() // until the load is running
	}
	times, err := b.bystanders(ctx, length)
	cancel()
	all.Wait()
	if failed := failed.Load(); failed != nil {
		return nil, 0, *failed
	}
	return times, most, err
}

// over is the number of completed calls, with any outcome.
func (b *bodyLoad) over() int64 { return b.done.Load() + b.refused.Load() + b.ended.Load() }

func (b *bodyLoad) fetchAll(ctx context.Context) error {
	call := &tool.Call{Tenant: "bench", User: "greedy", HTTP: b.guard}
	_, err := b.pool.Run(ctx, sandbox.Job{
		Tenant: call.Tenant, User: call.User, Name: "bodies", Code: bodiesCode, Args: b.args, Network: true,
		Host: &js.Ports{Call: call, Network: true, Budget: b.budget},
	})
	switch {
	case err == nil:
		b.done.Add(1)
	case tool.AsError(err).Kind == tool.Overloaded:
		b.refused.Add(1)
	case tool.AsError(err).Kind == tool.ExecutionError:
		b.ended.Add(1) // all ten concurrently are about the limit of a script
	default:
		return err
	}
	return nil
}
