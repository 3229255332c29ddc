package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestSmallDisks starts two dispatchers and two workers at the same time on new servers with
// little storage, without a setting about it, and sends 100,000 calls: each succeeds, and none is
// refused for want of room.
func TestSmallDisks(t *testing.T) {
	nightly(t)
	for _, tt := range []struct {
		servers int
		store   int64
	}{{3, 4_000_000_000}, {1, 1_000_000_000}} {
		t.Run(fmt.Sprintf("%d servers", tt.servers), func(t *testing.T) {
			var dirs []string
			for range tt.servers {
				dirs = append(dirs, t.TempDir())
			}
			c := newClusterOf(t, "natsd", []string{"-store", strconv.FormatInt(tt.store, 10)}, dirs...)
			w := c.world()
			env := []string{"HELVE_DURABILITY_REPLICAS=" + strconv.Itoa(tt.servers)}
			var started []*process
			for range 2 {
				started = append(started, w.spawnDispatcher("127.0.0.1:0", env...), w.spawnWorker("127.0.0.1:0", env...))
			}
			var doors []door
			for _, p := range started {
				if strings.Contains(p.name, "worker") {
					p.line("ready worker=")
				} else {
					doors = append(doors, door{process: p, url: p.line("ready http=")})
				}
			}
			for name, is := range w.observe().bounds() {
				t.Logf("%s is bounded to %d MiB", name, is.MaxBytes>>20)
			}
			began := time.Now()
			refused := manyCalls(t, doors, 100_000)
			t.Logf("100,000 calls in %v", time.Since(began).Round(time.Second))
			for reason, n := range refused {
				t.Errorf("%d calls ended in %s", n, reason)
			}
			for name, is := range w.observe().bounds() {
				if is.held > is.MaxBytes/2 {
					t.Errorf("%s holds %d of %d bytes", name, is.held, is.MaxBytes)
				}
			}
		})
	}
}

// manyCalls sends so many calls with ids, in batches, again while they have no end, and counts those
// that do not succeed by the reason.
func manyCalls(t *testing.T, doors []door, n int) map[string]int {
	t.Helper()
	const batch, callers = 500, 8
	var mu sync.Mutex
	failed, sent, began := map[string]int{}, 0, time.Now()
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for from := caller * batch; from < n; from += callers * batch {
				var calls []*call
				for i := range batch {
					calls = append(calls, &call{
						ID:     fmt.Sprintf("m-%d", from+i),
						Tool:   "debug.echo",
						Args:   map[string]any{"value": i},
						Waits:  true,
						tenant: defaultTenant,
					})
				}
				for end := time.Now().Add(patience()); len(calls) > 0 && time.Now().Before(end); {
					a := doors[caller%len(doors)].execute(30*time.Second, calls...)
					for _, e := range a.elements {
						if !e.ended() || e.notConfirmed() {
							continue
						}
						calls = slices.DeleteFunc(calls, func(c *call) bool { return c.ID == e.CallID })
						if e.outcome() != "success" {
							mu.Lock()
							failed[e.outcome()+": "+e.Message]++
							mu.Unlock()
						}
					}
				}
				mu.Lock()
				failed["no end"] += len(calls)
				if sent += batch; sent%10_000 == 0 {
					t.Logf("%d calls ended after %v", sent, time.Since(began).Round(time.Second))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if failed["no end"] == 0 {
		delete(failed, "no end")
	}
	return failed
}

// notConfirmed reports whether a server that lost its leader did not confirm the call: the answer says
// to send it again, and is not the end of the call. A cluster on a busy machine elects leaders at any time.
func (e *element) notConfirmed() bool {
	return e.ErrorType == "internal" && strings.HasPrefix(e.Message, "the call could not be confirmed as accepted")
}

// bounded is the configuration of a stream, and the bytes that it holds.
type bounded struct {
	jetstream.StreamConfig

	held int64
}

// bounds returns the streams that have a bound of bytes.
func (o observer) bounds() map[string]bounded {
	o.t.Helper()
	all := map[string]bounded{}
	list := o.js.ListStreams(o.t.Context())
	for s := range list.Info() {
		if s.Config.MaxBytes > 0 {
			all[s.Config.Name] = bounded{s.Config, int64(s.State.Bytes)}
		}
	}
	if err := list.Err(); err != nil {
		o.t.Fatal(err)
	}
	return all
}
