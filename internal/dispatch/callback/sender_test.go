package callback

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

// TestOutcomes: what each answer of a receiver leads to.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers []int
		want    string
		tries   int32
	}{
		"204":          {[]int{204}, Delivered, 1},
		"299":          {[]int{299}, Delivered, 1},
		"410":          {[]int{410}, Gone, 1},
		"404 then 200": {[]int{404, 200}, Delivered, 2},
		"308 then 410": {[]int{308, 410}, Gone, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			b := newBench(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/")
				w.WriteHeader(tt.answers[n.Add(1)-1])
			})
			k := b.accept("c1", b.hook.URL+"/canary")
			b.finish("c1")
			b.start()
			if got := b.ended(k); got != tt.want || n.Load() != tt.tries {
				t.Errorf("%s after %d attempts, want %s after %d", got, n.Load(), tt.want, tt.tries)
			}
			b.silent()
		})
	}
}

// TestGivenUp: the end of the time is on record, without anything secret.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	b.RetryFor = 300 * time.Millisecond
	k := b.accept("c1", b.hook.URL+"/canary")
	b.finish("c1")
	b.start()
	if got := b.ended(k); got != GivenUp {
		t.Errorf("outcome %s", got)
	}
	b.records.mu.Lock()
	defer b.records.mu.Unlock()
	if len(b.records.all) != 1 {
		t.Fatalf("%d records", len(b.records.all))
	}
	r := b.records.all[0]
	if text := fmt.Sprintf("%+v", *r); r.Phase != protocol.AuditCallbackFailed || r.CallID != "c1" || r.User != "ann" || r.Tenant != "acme" ||
		!strings.Contains(r.Detail, host(b.hook)) || !strings.Contains(r.Detail, "status 503") || strings.Contains(text, "canary") {
		t.Errorf("record: %s", text)
	}
	queuetest.Until(t, "it is counted", func() bool {
		w := httptest.NewRecorder()
		b.Metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		return strings.Contains(w.Body.String(), `helve_callbacks_total{outcome="given_up"} 1`)
	})
	b.silent()
}

// TestStubbornReceivers: a receiver that does not answer in time is asked again; neither the
// length nor the contents of an answer matter.
func TestStubbornReceivers(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	var written atomic.Int64
	b := newBench(t, func(w http.ResponseWriter, req *http.Request) {
		if n.Add(1) == 1 {
			<-req.Context().Done()
			return
		}
		chunk := make([]byte, 1<<20)
		for range 1 << 10 {
			m, err := w.Write(chunk)
			written.Add(int64(m))
			if err != nil {
				return
			}
		}
	})
	b.Timeout = 300 * time.Millisecond
	k := b.accept("c1", b.hook.URL)
	b.finish("c1")
	b.start()
	if got := b.ended(k); got != Delivered || n.Load() != 2 {
		t.Errorf("%s after %d attempts", got, n.Load())
	}
	if written.Load() > 256<<20 {
		t.Errorf("%d bytes of the answer were taken", written.Load())
	}
}

// TestDeadReceiverDelaysNobody: callbacks to a receiver that does not answer, of one tenant,
// delay neither another receiver nor another tenant, and only a few are sent at a time.
func TestDeadReceiverDelaysNobody(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var now, most atomic.Int32
	b := newBench(t, func(_ http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/live" {
			return
		}
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		<-release
	})
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(other.Close)
	b.Hosts = append(b.Hosts, host(other))
	var dead []callbacks.Key
	for i := range 3 * perHost {
		id := fmt.Sprintf("dead%d", i)
		dead = append(dead, b.accept(id, b.hook.URL+"/dead"))
		b.finish(id)
	}
	b.start()
	queuetest.Until(t, "the lane is full", func() bool { return now.Load() == perHost })
	live := b.accept("live", other.URL)
	b.finish("live")
	theirs := b.acceptAs("beta", "live", b.hook.URL+"/live", time.Now())
	b.results.Store("beta/live", element("live"))
	if got := []string{b.ended(live), b.ended(theirs)}; got[0] != Delivered || got[1] != Delivered {
		t.Errorf("outcomes %v", got)
	}
	queuetest.Until(t, "only those of the dead receiver wait", func() bool {
		calls, results, oldest := b.Waiting()
		return calls+results == len(dead) && !oldest.IsZero()
	})
	close(release)
	for _, k := range dead {
		if got := b.ended(k); got != Delivered {
			t.Errorf("outcome %s", got)
		}
	}
	if most.Load() > perHost {
		t.Errorf("%d requests at a time, want at most %d", most.Load(), perHost)
	}
}

// TestResultIsNoticed: a call that was accepted long ago is looked at rarely, and its result
// is sent immediately.
func TestResultIsNoticed(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(http.ResponseWriter, *http.Request) {})
	k := b.acceptAs("acme", "c1", b.hook.URL, time.Now().Add(-30*time.Minute))
	b.start()
	queuetest.Until(t, "the call was looked at", func() bool {
		r := b.run.Load()
		if r == nil {
			return false
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		e := r.timers.next()
		return e != nil && e.at.After(time.Now().Add(time.Minute))
	})
	b.finish("c1")
	if err := b.q.Results.FinishWait(queuetest.Context(t), "acme", "default", "d-1", "c1", []byte(element("c1")), nil); err != nil {
		t.Fatal(err)
	}
	if got := b.ended(k); got != Delivered {
		t.Errorf("outcome %s", got)
	}
}

// TestNextRunGoesOn: what one run has not delivered the next one delivers, from the copy of
// the result. An attempt that has begun is completed.
func TestNextRunGoesOn(t *testing.T) {
	t.Parallel()
	began, release := make(chan struct{}, 10), make(chan struct{})
	var n atomic.Int32
	b := newBench(t, func(w http.ResponseWriter, _ *http.Request) {
		switch n.Add(1) {
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
		default:
			began <- struct{}{}
			<-release
		}
	})
	k := b.accept("c1", b.hook.URL)
	b.finish("c1")
	stop := b.start()
	queuetest.Receive(t, began, "the second attempt")
	b.results.Clear() // the results stream was purged
	stopped := make(chan struct{})
	go func() { defer close(stopped); stop() }()
	close(release)
	<-stopped
	if got := b.ended(k); got != Delivered || n.Load() != 2 {
		t.Errorf("%s after %d attempts", got, n.Load())
	}
	slow := b.accept("c2", b.hook.URL)
	b.finish("c2")
	b.start()
	if got := b.ended(slow); got != Delivered {
		t.Errorf("outcome %s", got)
	}
}

// TestNotSent: nothing goes to a host that is no longer listed, with headers that cannot be
// decrypted, or of another call.
func TestNotSent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*bench)
		want   string
	}{
		"host not listed": {func(b *bench) { b.Hosts = []string{"hooks.example"} }, GivenUp},
		"another key":     {func(b *bench) { b.Keys = newKeys(b.t) }, GivenUp},
		"another call":    {func(b *bench) { b.results.Store("acme/c1", `{"tool":"echo","owner":{"user":"bob"}}`) }, NoResult},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			b := newBench(t, func(http.ResponseWriter, *http.Request) { n.Add(1) })
			b.RetryFor = 10 * time.Millisecond
			k := b.accept("c1", b.hook.URL+"/canary")
			b.finish("c1")
			tt.change(b)
			b.start()
			if got := b.ended(k); got != tt.want || n.Load() != 0 {
				t.Errorf("%s after %d requests, want %s after none", got, n.Load(), tt.want)
			}
			b.silent()
		})
	}
}

// TestNoRoomForTheCopy: while the stream is full results are sent from where they are
// stored, and again when the receiver did not take them.
func TestNoRoomForTheCopy(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	b := newBench(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 1 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}, func(o *queue.Options) { o.CallbacksMaxMessages = 1 })
	k := b.accept("c1", b.hook.URL)
	b.finish("c1")
	b.start()
	if got := b.ended(k); got != Delivered || n.Load() < 2 {
		t.Errorf("%s after %d attempts", got, n.Load())
	}
}
