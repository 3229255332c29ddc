package connect

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/tool"
)

// TestRenewOnce: however many requests come to however many dispatchers, the provider gets
// one, and everybody gets its token.
func TestRenewOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Fields())
	w.connect("ann")
	first := w.account("ann")
	refused := services.HashOf(first.Access)
	answers := make([]peer.AccountAnswer, 300)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = w.services[i%len(w.services)].Answer(t.Context(), ask("ann", refused)) })
	}
	all.Wait()
	for _, a := range answers {
		if a.Kind != "" || a.Missing || !bytes.Equal(a.Value, answers[0].Value) {
			t.Fatalf("Answer = %+v", a)
		}
	}
	second := w.account("ann")
	if n := w.provider.Requests("/token", "refresh_token"); n != 1 || second.Access == first.Access || second.Refresh == first.Refresh ||
		!w.provider.Valid(second.Access) {
		t.Errorf("%d requests, the account is %+v", n, second)
	}
	if second.At != first.At || second.By != "ann" || second.Scopes != "read write" {
		t.Errorf("the account is %+v, was %+v", second, first)
	}
	// A report about the token before is answered with the present one.
	if a := w.services[1].Answer(t.Context(), ask("ann", refused)); a.Value == nil || w.provider.Requests("/token", "refresh_token") != 1 {
		t.Errorf("a late report = %+v", a)
	}
	if a := w.services[2].Answer(t.Context(), ask("bob", "")); !a.Missing || a.Page != "http://127.0.0.1:8080/v1/connect/" || a.Reason != "" {
		t.Errorf("without an account = %+v", a)
	}
	if a := w.services[2].Answer(t.Context(), peer.AccountRequest{
		Tenant:  "acme",
		User:    "ann",
		Service: "other",
	}); a.Kind != string(tool.NotConfigured) || !strings.Contains(a.Message, "helve config set other") {
		t.Errorf("without a registration = %+v", a)
	}
}

// dying is the bucket of a dispatcher that is killed before it stores new tokens.
type dying struct {
	services.Bucket
	reached chan struct{}
	killed  chan struct{}
}

var errKilled = errors.New("killed")

func (d *dying) Replace(ctx context.Context, key string, old, value []byte) error {
	close(d.reached)
	<-d.killed
	return errKilled
}

// TestKilledBeforeStore: after a dispatcher has died between the provider's answer and the
// store, the next one sends the old refresh token again. With a provider that has a grace
// the account goes on; with another one the person is asked to connect it again.
func TestKilledBeforeStore(t *testing.T) {
	t.Parallel()
	for name, grace := range map[string]bool{"with a grace": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2, oauthtest.Behaviour{Life: time.Hour, Grace: grace})
			w.register(w.provider.Fields())
			w.connect("ann")
			refused := services.HashOf(w.account("ann").Access)
			for _, s := range w.services {
				s.lockLife = time.Second
			}
			d := &dying{w.services[0].Store.Bucket, make(chan struct{}), make(chan struct{})}
			dead := *w.services[0].Store
			dead.Bucket = d
			w.services[0].Store = &dead
			life, kill := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				w.services[0].renewForTest(life, ask("ann", refused))
			}()
			<-d.reached
			a := w.services[1].Answer(t.Context(), ask("ann", refused))
			if grace == a.Missing || grace != (a.Value != nil) {
				t.Errorf("Answer = %+v", a)
			}
			if n := w.provider.Requests("/token", "refresh_token"); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
			if !grace && (!w.recorded("is no longer connected") || w.account("ann").Lost == "") {
				t.Errorf("the loss is not recorded: %v", w.trail)
			}
			kill()
			close(d.killed)
			<-ended
		})
	}
}

// renewForTest answers a request until ctx ends, as a process does until it is killed.
func (s *Service) renewForTest(ctx context.Context, r peer.AccountRequest) {
	w := who{r.Tenant, r.User, r.Service}
	if l, err := s.lock(ctx, w); l == nil || err != nil {
		return
	}
	have, err := s.read(ctx, w)
	if err != nil {
		return
	}
	p, end, err := s.provider(ctx, have.reg)
	if err != nil {
		return
	}
	defer end()
	token, err := p.Renew(ctx, have.account.Refresh)
	if err != nil {
		return
	}
	_, _ = s.Store.Renew(ctx, w.tenant, w.user, w.service, have.value, accountOf(have.reg, token, have.account.At, have.account.By))
}

// moving is a bucket whose first replacements find another value.
type moving struct {
	services.Bucket
	before func()
}

func (m *moving) Replace(ctx context.Context, key string, old, value []byte) error {
	if before := m.before; before != nil {
		m.before = nil
		before()
	}
	return m.Bucket.Replace(ctx, key, old, value)
}

// TestKeep: new tokens are stored although the entry was changed between reading it and
// storing them, unless the account was ended or connected again.
func TestKeep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(w *world)
		// want is the outcome: new tokens, those of the other change, or none.
		want string
	}{
		"the master key was rotated": {func(w *world) {
			next, err := vault.Generate()
			if err != nil {
				w.t.Fatal(err)
			}
			both, err := vault.Parse(next + "\n" + w.text)
			if err != nil {
				w.t.Fatal(err)
			}
			s := &services.Store{Bucket: w.entries, Keys: both, Registry: w.store.Registry}
			if done, err := s.Rotate(w.t.Context()); err != nil || done.Rotated == 0 {
				w.t.Fatalf("Rotate = %+v, %v", done, err)
			}
			for _, s := range w.services {
				s.Store.Keys = both
			}
			w.store.Keys = both
		}, "new"},
		"another process took it for lost": {func(w *world) {
			a, value, err := w.store.Account(w.t.Context(), "acme", "ann", "cloud")
			if err != nil {
				w.t.Fatal(err)
			}
			a.Lost = "it says so"
			if _, err := w.store.Renew(w.t.Context(), "acme", "ann", "cloud", value, *a); err != nil {
				w.t.Fatal(err)
			}
		}, "new"},
		"the person connected it again": {func(w *world) {
			a := w.account("ann")
			a.Access, a.Refresh = "at-other", "rt-other"
			if err := w.store.Connect(w.t.Context(), "acme", "ann", "cloud", *a); err != nil {
				w.t.Fatal(err)
			}
		}, "other"},
		"the person disconnected it": {func(w *world) {
			if err := w.entries.Delete(w.t.Context(), "acme.user.ann.cloud.default"); err != nil {
				w.t.Fatal(err)
			}
		}, "none"},
	} {
		w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour})
		w.register(w.provider.Fields())
		w.connect("ann")
		first := w.account("ann")
		w.services[0].Store.Bucket = &moving{w.entries, func() { tt.meanwhile(w) }}
		a := w.services[0].Answer(t.Context(), ask("ann", services.HashOf(first.Access)))
		now := w.account("ann")
		got := "none"
		switch {
		case now == nil:
		case now.Access == "at-other":
			got = "other"
		case w.provider.Valid(now.Access) && now.Access != first.Access && now.Lost == "":
			got = "new"
		}
		if got != tt.want || a.Missing != (tt.want == "none") {
			t.Errorf("%s: %s tokens are stored, want %s; Answer = %+v", name, got, tt.want, a)
		}
	}
}

// TestFailures: a failure of the provider is the answer to requests for a moment, is on the
// trail and leaves the account as it is.
func TestFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, oauthtest.Behaviour{Life: time.Hour})
	w.register(w.provider.Fields())
	w.connect("ann")
	first := w.account("ann")
	refused := services.HashOf(first.Access)
	fields := w.provider.Fields()
	w.provider.Set(func(b *oauthtest.Behaviour) { b.Post, b.Basic = true, true }) // it knows nobody
	for range 20 {
		if a := w.services[0].Answer(t.Context(), ask("ann", refused)); a.Kind != string(tool.NotConfigured) ||
			!strings.Contains(a.Message, "does not accept Helve's registration") {
			t.Fatalf("Answer = %+v", a)
		}
	}
	if n := w.provider.Requests("/token", "refresh_token"); n > 6 {
		t.Errorf("%d requests to a provider in trouble for 20 calls", n)
	}
	if now := w.account("ann"); now == nil || now.Refresh != first.Refresh || !w.recorded("was not replaced: not_configured") {
		t.Errorf("the account is %+v, the trail %v", now, w.trail)
	}
	w.provider.Set(func(b *oauthtest.Behaviour) { b.Post, b.Basic = false, false })
	queuetest.Until(t, "the account goes on", func() bool {
		return w.services[0].Answer(t.Context(), ask("ann", refused)).Value != nil
	})
	delete(fields, "client_secret")
	w.services[0].Public = ""
	if a := w.services[0].Answer(t.Context(), ask("bob", "")); !a.Missing || a.Page != "" {
		t.Errorf("without a public address = %+v", a)
	}
}

// TestLock: one process has the lock of an account, and the server forgets that of a process
// that died.
func TestLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, oauthtest.Behaviour{})
	a := who{"acme", "ann", "cloud"}
	w.services[0].lockLife = time.Second
	first, err := w.services[0].lock(t.Context(), a)
	if first == nil || err != nil {
		t.Fatalf("lock = %v", err)
	}
	if second, err := w.services[1].lock(t.Context(), a); second != nil || err != nil {
		t.Errorf("a second lock, %v", err)
	}
	if other, err := w.services[1].lock(t.Context(), who{"acme", "bob", "cloud"}); other == nil || err != nil {
		t.Errorf("the lock of another account = %v", err)
	}
	var second *lock
	queuetest.Until(t, "the lock is forgotten", func() bool {
		second, err = w.services[1].lock(t.Context(), a)
		return second != nil && err == nil
	})
	first.release(t.Context()) // late: the lock of the other process stays
	if third, err := w.services[0].lock(t.Context(), a); third != nil || err != nil {
		t.Errorf("a third lock, %v", err)
	}
	second.release(t.Context())
	if third, err := w.services[0].lock(t.Context(), a); third == nil || err != nil {
		t.Errorf("the lock after it was released = %v", err)
	}
}
