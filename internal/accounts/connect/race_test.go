package connect

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestFlights: callers share an outcome, and the end of the first caller's context is not
// theirs.
func TestFlights(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flights
		var runs atomic.Int32
		run := func(ctx context.Context) func() ([]byte, error) {
			return func() ([]byte, error) {
				runs.Add(1)
				select {
				case <-ctx.Done():
					return nil, tool.Fail(tool.Overloaded, "not there yet").Because(ctx.Err())
				case <-time.After(10 * time.Second):
					return []byte("token"), nil
				}
			}
		}
		first, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			if value, err := f.do(first, "ann", run(first)); value != nil || tool.AsError(err).Kind != tool.Overloaded {
				t.Errorf("the first caller = %s, %v", value, err)
			}
		})
		synctest.Wait()
		for range 20 {
			all.Go(func() {
				if value, err := f.do(t.Context(), "ann", run(t.Context())); string(value) != "token" || err != nil {
					t.Errorf("a caller after it = %s, %v", value, err)
				}
			})
		}
		all.Wait()
		if n := runs.Load(); n != 2 {
			t.Errorf("%d calls for the first caller and all others, want 2", n)
		}
		broken := errors.New("broken")
		if _, err := f.do(t.Context(), "ann", func() ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
			t.Errorf("a failure = %v", err)
		}
	})
}

// TestSharedFailure: many requests at a time get the same failure, which none of them
// changes.
func TestSharedFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{})
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if a := w.services[0].Answer(t.Context(), ask("ann", "")); a.Kind != string(tool.NotConfigured) ||
				!strings.Contains(a.Message, "helve config set cloud") {
				t.Errorf("Answer = %+v", a)
			}
		})
	}
	all.Wait()
}

// stuck is a bucket that stores nothing until it is repaired.
type stuck struct {
	services.Bucket
	reached  chan struct{}
	once     sync.Once
	repaired atomic.Bool
}

func (b *stuck) Replace(ctx context.Context, key string, old, value []byte) error {
	b.once.Do(func() { close(b.reached) })
	if !b.repaired.Load() {
		return natsio.ErrUnavailable
	}
	return b.Bucket.Replace(ctx, key, old, value)
}

// TestLockKept: while a dispatcher cannot store new tokens, no other one sends the old
// refresh token, although a lock would have ended.
func TestLockKept(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it waits for the end of a lock")
	w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Fields())
	w.connect("ann")
	refused := services.HashOf(w.account("ann").Access)
	const life = 3 * time.Second
	for _, s := range w.services {
		s.lockLife = life
	}
	b := &stuck{Bucket: w.entries, reached: make(chan struct{})}
	own := *w.services[0].Store
	own.Bucket = b
	w.services[0].Store = &own
	answers := make([]peer.AccountAnswer, 2)
	var all sync.WaitGroup
	all.Go(func() { answers[0] = w.services[0].Answer(t.Context(), ask("ann", refused)) })
	<-b.reached
	since := time.Now()
	all.Go(func() { answers[1] = w.services[1].Answer(t.Context(), ask("ann", refused)) })
	queuetest.Until(t, "the first lock would have ended", func() bool { return time.Since(since) > life+time.Second })
	b.repaired.Store(true)
	all.Wait()
	for i, a := range answers {
		if a.Value == nil {
			t.Errorf("dispatcher %d answers %+v", i, a)
		}
	}
	if n, now := w.provider.Requests("/token", "refresh_token"), w.account("ann"); n != 1 || now.Lost != "" || !w.provider.Valid(now.Access) {
		t.Errorf("%d requests; the account is %+v", n, now)
	}
}

// slow is a bucket whose server gets a lock some time before its client knows.
type slow struct {
	Bucket
	stored time.Time
}

func (b *slow) PutAt(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) error {
	b.stored = time.Now()
	return b.Bucket.PutAt(ctx, key, value, revision, ttl)
}

// TestLockUntil: the work with a lock ends before the server forgets the lock, however late
// the server's answer is.
func TestLockUntil(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{})
	b := &slow{Bucket: w.services[0].Bucket}
	w.services[0].Bucket = b
	begun := time.Now()
	l, err := w.services[0].lock(t.Context(), who{"acme", "ann", "cloud"})
	if err != nil || l == nil || l.until.Before(begun.Add(holdTime)) || l.until.After(b.stored.Add(holdTime)) || holdTime >= lockLife {
		t.Errorf("lock = %+v, %v, requested at %v", l, err, b.stored)
	}
}

// TestLostMeanwhile: an account that its person has connected again while the provider refused
// the tokens before is used.
func TestLostMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Fields())
	w.connect("ann")
	refused := services.HashOf(w.account("ann").Access)
	w.provider.Revoke(true)
	w.services[0].Store.Bucket = &moving{w.entries, func() { w.connect("ann") }}
	a := w.services[0].Answer(t.Context(), ask("ann", refused))
	if now := w.account("ann"); a.Missing || a.Value == nil || now.Lost != "" || !w.provider.Valid(now.Access) {
		t.Errorf("Answer = %+v; the account is %+v", a, now)
	}
}

// leaving is a bucket whose first removal finds another value.
type leaving struct {
	services.Bucket
	before func()
}

func (l *leaving) DeleteIf(ctx context.Context, key string, old []byte) (bool, error) {
	if before := l.before; before != nil {
		l.before = nil
		before()
	}
	return l.Bucket.DeleteIf(ctx, key, old)
}

// TestDisconnectChanged: tokens that are stored while an account is disconnected are revoked
// too.
func TestDisconnectChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Fields())
	w.connect("ann")
	w.services[0].Store.Bucket = &leaving{w.entries, func() { w.connect("ann") }}
	done, found, err := w.services[0].Disconnect(t.Context(), "acme", "ann", "cloud", func() error { return nil })
	if !found || err != nil || done.Revoked == nil || !*done.Revoked || w.account("ann") != nil || w.provider.Tokens() != 0 {
		t.Errorf("Disconnect = %+v, %v, %v; %d tokens left", done, found, err, w.provider.Tokens())
	}
}

// TestGuesses: of many codes at a time no more are tried than one after the other.
func TestGuesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Discovered())
	begun, err := w.services[0].Begin(t.Context(), "acme", "mallory", "cloud", true)
	if err != nil {
		t.Fatal(err)
	}
	target, err := w.services[0].Opened(t.Context(), Visitor{}, begun.ID)
	if err != nil {
		t.Fatal(err)
	}
	page, cookie, err := w.services[0].Start(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.services[0].Finish(t.Context(), w.agree(page), Bringer{Cookie: cookie.Value}); err != nil {
		t.Fatal(err)
	}
	var tried atomic.Int32
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			c, err := w.services[i%2].Confirm(t.Context(), "acme", "mallory", "cloud", begun.ID, "AAAAAAAA")
			if kindOf(err) == tool.ValidationError || c.Status == protocol.ConnectionDenied {
				tried.Add(1)
			}
		})
	}
	all.Wait()
	if n := tried.Load(); n < 1 || n > maxTries {
		t.Errorf("%d of 60 codes at a time were tried, want at most %d", n, maxTries)
	}
}

// TestDeviceLeft: tokens that a provider issues for a device are stored although the terminal
// left while it was asked.
func TestDeviceLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour, Interval: 1})
	w.register(w.provider.Discovered())
	begun, err := w.services[0].Begin(t.Context(), "acme", "ann", "cloud", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	w.provider.Set(func(b *oauthtest.Behaviour) {
		b.Answer = func(_ http.ResponseWriter, r *http.Request) bool {
			leave()
			<-ctx.Done()
			return r.Context().Err() != nil
		}
	})
	queuetest.Until(t, "the provider is asked", func() bool {
		if ctx.Err() != nil {
			return true
		}
		_, _ = w.services[0].Status(ctx, "acme", "ann", "cloud", begun.ID)
		return false
	})
	if a := w.account("ann"); a == nil || !w.provider.Valid(a.Access) {
		t.Errorf("the account is %+v", a)
	}
}

// TestWaitIsBounded: a request without an end of its own does not wait for ever for a lock.
func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Second})
	w.register(w.provider.Discovered())
	w.connect("ann")
	w.provider.Set(func(b *oauthtest.Behaviour) { b.Life = time.Hour })
	queuetest.Until(t, "the token has ended", func() bool { return !w.account("ann").Usable(time.Now()) })
	l, err := w.services[1].lock(t.Context(), who{"acme", "ann", "cloud"})
	if err != nil || l == nil {
		t.Fatalf("lock = %v, %v", l, err)
	}
	w.services[0].waitTime = time.Second // a busy machine reads slowly
	tested, err := w.services[0].Test(context.WithoutCancel(t.Context()), "acme", "ann", "cloud")
	if err != nil || tested.OK || !strings.Contains(tested.Message, "is being replaced") {
		t.Errorf("Test = %+v, %v", tested, err)
	}
	l.release(t.Context())
	w.services[0].waitTime = waitTime
	if tested, err = w.services[0].Test(t.Context(), "acme", "ann", "cloud"); err != nil || !tested.OK {
		t.Errorf("Test after the lock was released = %+v, %v", tested, err)
	}
}
