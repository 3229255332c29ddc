package services

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// registered sets a registration of the service cloud.
func (w *world) registered(pairs ...string) string {
	w.t.Helper()
	set := fields("issuer", `"https://id.example"`, "client_id", `"helve"`, "client_secret", `"canary-client"`, "base_url",
		`"https://api.example"`)
	for name, value := range fields(pairs...) {
		set[name] = value
	}
	if _, err := w.Set(w.t.Context(), at("", "cloud", "default"), protocol.ServiceSet{Type: typeOAuth2, Fields: set}, "root",
		granted); err != nil {
		w.t.Fatal(err)
	}
	reg, err := w.Registration(w.t.Context(), "acme", "cloud")
	if err != nil || reg == nil || reg.Secret != "canary-client" {
		w.t.Fatalf("Registration = %+v, %v", reg, err)
	}
	return reg.ID
}

// account is an account of a registration.
func account(registration, access string, life time.Duration) Account {
	return Account{
		Access: access, Refresh: "canary-refresh", Type: "Bearer", Scopes: "read", Expires: time.Now().Add(life), Life: life,
		Registration: registration, At: time.Now(), By: "ann",
	}
}

// dispatcher answers requests for accounts from the store.
type dispatcher struct {
	*world

	mu    sync.Mutex
	asked []string
	err   error
	next  Account
}

func (d *dispatcher) Ask(ctx context.Context, tenant, user, service, refused string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, fmt.Sprintf("%s/%s/%s/%v", tenant, user, service, refused != ""))
	if d.err != nil {
		return nil, d.err
	}
	return d.sealAccount(ctx, accountAt(tenant, user, service), d.next)
}

// TestAccountEntries: a person gets the entry of their own account, whose token is valid,
// with what the registration says and without its secrets.
func TestAccountEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.registered()
	r, _ := w.reader(w.Keys, nil)
	d := &dispatcher{world: w, next: account(id, "at-new", time.Hour)}
	r.Accounts = d
	if err := w.Connect(t.Context(), "acme", "ann", "cloud", account(id, "at-ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	token := func(user string) string {
		entries, err := r.For("acme", user).Entries(t.Context(), "cloud")
		if err != nil || len(entries) != 1 {
			return fmt.Sprint(entries, err)
		}
		e := entries[0]
		if text := fmt.Sprint(e.Data); strings.Contains(text, "canary") || e.Data["base_url"] != "https://api.example" ||
			e.Data["scopes"] != "read" || !e.Active || !e.Shared || e.Label != "default" {
			t.Errorf("the entry is %v", e.Data)
		}
		return e.Data[tool.AccessToken]
	}
	queuetest.Until(t, "the account is there", func() bool { return token("ann") == "at-ann" }) // before, the dispatcher was asked
	if d.asked = nil; token("ann") != "at-ann" || len(d.asked) > 0 {
		t.Errorf("a token that is valid was requested: %v", d.asked)
	}
	if got := token("bob"); got != "at-new" || !slices.Equal(d.asked, []string{"acme/bob/cloud/false"}) {
		t.Errorf("bob's token is %s after %v", got, d.asked)
	}
	if entries, err := r.For("acme", "").Entries(t.Context(), "cloud"); err == nil || tool.AsError(err).Kind != tool.NotConfigured ||
		tool.MissingAccount(err) != nil {
		t.Errorf("without a person: %v, %v", entries, err)
	}
	if entries, err := r.For("other", "ann").Entries(t.Context(), "cloud"); err != nil || len(entries) > 0 {
		t.Errorf("in another tenant: %v, %v", entries, err)
	}
	d.asked = nil
	late := account(id, "at-old", 30*time.Second)
	late.Life = time.Hour
	if err := w.Connect(t.Context(), "acme", "cy", "cloud", late); err != nil {
		t.Fatal(err)
	}
	if got := token("cy"); got != "at-new" {
		t.Errorf("a token that ends soon: %s", got)
	}
	missing := &tool.AccountMissing{Service: "cloud"}
	d.err = tool.Fail(tool.NotConfigured, "no").Because(missing)
	if _, err := r.For("acme", "dan").Entries(t.Context(), "cloud"); tool.MissingAccount(err) != missing {
		t.Errorf("a missing account: %v", err)
	}
	r.Accounts = nil
	if _, err := r.For("acme", "dan").Entries(t.Context(), "cloud"); err == nil || tool.AsError(err).Kind != tool.NotConfigured {
		t.Errorf("without dispatchers: %v", err)
	}
}

// TestRefresh: a token that a service has refused is requested again by its hash; an entry
// that is no account is left alone.
func TestRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.registered()
	r, _ := w.reader(w.Keys, nil)
	d := &dispatcher{world: w, next: account(id, "at-2", time.Hour)}
	r.Accounts = d
	queuetest.Until(t, "the registration is there", func() bool { return r.registration("acme", "cloud") != nil })
	s := r.For("acme", "ann")
	old := tool.ServiceEntry{Label: "default", Shared: true, Data: map[string]string{tool.AccessToken: "at-1"}}
	e, ok, err := tool.RefreshEntry(t.Context(), s, "cloud", old)
	if err != nil || !ok || e.Data[tool.AccessToken] != "at-2" || !slices.Equal(d.asked, []string{"acme/ann/cloud/true"}) {
		t.Errorf("RefreshEntry = %v, %v, %v after %v", e, ok, err, d.asked)
	}
	if _, ok, err := tool.RefreshEntry(t.Context(), s, "cloud", tool.ServiceEntry{Data: map[string]string{"api_key": "k"}}); ok || err != nil {
		t.Errorf("an entry that is no account: %v, %v", ok, err)
	}
	if _, ok, err := tool.RefreshEntry(t.Context(), s, "model", old); ok || err != nil {
		t.Errorf("a service without accounts: %v, %v", ok, err)
	}
	own := old
	own.Shared = false
	if _, ok, err := tool.RefreshEntry(t.Context(), s, "cloud", own); ok || err != nil || len(d.asked) != 1 {
		t.Errorf("an entry that the person has set: %v, %v after %v", ok, err, d.asked)
	}
	d.err = errors.New("away")
	if _, ok, err := tool.RefreshEntry(t.Context(), s, "cloud", old); ok || err == nil {
		t.Errorf("no answer: %v, %v", ok, err)
	}
	if HashOf("at-1") == HashOf("at-2") || strings.Contains(HashOf("at-1"), "at-1") {
		t.Error("HashOf does not tell tokens apart, or shows them")
	}
}

// held answers requests when it is opened.
type held struct {
	n     atomic.Int64
	open  chan struct{}
	value []byte
}

func (h *held) Ask(context.Context, string, string, string, string) ([]byte, error) {
	h.n.Add(1)
	<-h.open
	return h.value, nil
}

// TestAskOnce: many calls of a worker that need an account make one request, and a call that
// gives up does not end that of the others.
func TestAskOnce(t *testing.T) {
	w := newWorld(t)
	id := w.registered()
	registration, err := w.bucket.Get(t.Context(), keyOf(at("", "cloud", "default")))
	if err != nil {
		t.Fatal(err)
	}
	value, err := w.sealAccount(t.Context(), accountAt("acme", "ann", "cloud"), account(id, "at-1", time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		h := &held{open: make(chan struct{}), value: value}
		r := &Reader{Keys: w.keys(w.text), Registry: w.Registry, Accounts: h}
		r.Change(keyOf(at("", "cloud", "default")), registration)
		first, give := context.WithCancel(t.Context())
		gave := make(chan error)
		go func() {
			_, err := r.For("acme", "ann").Entries(first, "cloud")
			gave <- err
		}()
		synctest.Wait()
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if entries, err := r.For("acme", "ann").Entries(t.Context(), "cloud"); err != nil || entries[0].Data[tool.AccessToken] != "at-1" {
					t.Errorf("Entries = %v, %v", entries, err)
				}
			})
		}
		synctest.Wait()
		give()
		if err := <-gave; !errors.Is(err, context.Canceled) {
			t.Errorf("the call that gave up: %v", err)
		}
		close(h.open)
		all.Wait()
		if n := h.n.Load(); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	})
}

// TestAccountIsBound: the stored account of one person is not that of another one, and one
// of another registration is not used.
func TestAccountIsBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.registered()
	if err := w.Connect(t.Context(), "acme", "ann", "cloud", account(id, "at-ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	value, err := w.bucket.Get(t.Context(), keyOf(at("ann", "cloud", "default")))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.bucket.Put(t.Context(), keyOf(at("bob", "cloud", "default")), value); err != nil {
		t.Fatal(err)
	}
	if a, _, err := w.Account(t.Context(), "acme", "bob", "cloud"); a != nil || err == nil {
		t.Errorf("the account of ann under bob's key = %+v, %v", a, err)
	}
	r, _ := w.reader(w.Keys, nil)
	r.Accounts = &dispatcher{world: w, err: tool.Fail(tool.NotConfigured, "ask").Because(&tool.AccountMissing{})}
	queuetest.Until(t, "bob's entry is there", func() bool { return len(r.entries[group{"acme", "bob", "cloud"}]) == 1 })
	if entries, err := r.For("acme", "bob").Entries(t.Context(), "cloud"); err == nil {
		t.Errorf("bob gets %v", entries)
	}
	w.registered("token_url", `"https://thief.example/token"`)
	queuetest.Until(t, "ann's account is no longer used", func() bool {
		_, err := r.For("acme", "ann").Entries(t.Context(), "cloud")
		return tool.MissingAccount(err) != nil
	})
}

// TestRenewAndDrop: an account is replaced and removed only as it was read, and a mark keeps
// it from being used.
func TestRenewAndDrop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.registered()
	first := account(id, "at-1", time.Hour)
	if err := w.Connect(t.Context(), "acme", "ann", "cloud", first); err != nil {
		t.Fatal(err)
	}
	got, value, err := w.Account(t.Context(), "acme", "ann", "cloud")
	if err != nil || got.Access != "at-1" || got.Refresh != "canary-refresh" || !got.Usable(time.Now()) ||
		got.Usable(time.Now().Add(time.Hour-30*time.Second)) {
		t.Fatalf("Account = %+v, %v", got, err)
	}
	second := account(id, "at-2", time.Hour)
	if _, err := w.Renew(t.Context(), "acme", "ann", "cloud", value, second); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Renew(t.Context(), "acme", "ann", "cloud", value, account(id, "at-3", time.Hour)); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("Renew of old bytes = %v", err)
	}
	if done, err := w.Drop(t.Context(), "acme", "ann", "cloud", value); done || err != nil {
		t.Errorf("Drop of old bytes = %v, %v", done, err)
	}
	_, value, err = w.Account(t.Context(), "acme", "ann", "cloud")
	if err != nil {
		t.Fatal(err)
	}
	second.Lost = "the provider says so"
	if value, err = w.Renew(t.Context(), "acme", "ann", "cloud", value, second); err != nil {
		t.Fatal(err)
	}
	list, err := w.List(t.Context(), "acme", Filter{User: "ann"})
	if err != nil || len(list) != 1 || list[0].Active || string(list[0].Fields[tool.AccessToken]) != `{"set":true}` ||
		string(list[0].Fields["scopes"]) != `"read"` {
		t.Errorf("List = %+v, %v", list, err)
	}
	if names, err := w.AccountsOf(t.Context(), "acme", "ann"); err != nil || !slices.Equal(names, []string{"cloud"}) {
		t.Errorf("AccountsOf = %v, %v", names, err)
	}
	if _, err := w.Set(t.Context(), at("ann", "cloud", "default"), protocol.ServiceSet{Type: typeCustom, Fields: fields("x", `"y"`)}, "root",
		granted); err == nil || tool.AsError(err).Kind != tool.PermissionDenied {
		t.Errorf("an entry is set in the place of an account: %v", err)
	}
	if done, err := w.Drop(t.Context(), "acme", "ann", "cloud", value); !done || err != nil {
		t.Errorf("Drop = %v, %v", done, err)
	}
	if a, _, err := w.Account(t.Context(), "acme", "ann", "cloud"); a != nil || err != nil {
		t.Errorf("Account after Drop = %+v, %v", a, err)
	}
	none := &Store{Bucket: w.bucket, Keys: vault.None{}, Registry: w.Registry}
	if err := none.Connect(t.Context(), "acme", "ann", "cloud", first); err == nil || !strings.Contains(err.Error(), "--secrets-key") {
		t.Errorf("without a master key: %v", err)
	}
}

// TestOwnEntryFirst: an entry that the person has set is used in the place of an account.
func TestOwnEntryFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.Set(t.Context(), at("ann", "cloud", "default"), protocol.ServiceSet{Type: typeCustom, Fields: fields("api_key", `"own"`)},
		"ann", granted); err != nil {
		t.Fatal(err)
	}
	w.registered()
	r, _ := w.reader(w.Keys, nil)
	queuetest.Until(t, "the registration is there", func() bool { return r.registration("acme", "cloud") != nil })
	awaits(t, r, "acme", "ann", "cloud", "default:own;")
}

// TestIndex: an account counts if it can be used with the present registration.
func TestIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var changes atomic.Int64
	x := &Index{Registry: w.Registry, Changed: func() { changes.Add(1) }}
	if err := w.bucket.Follow(t.Context(), x.Change); err != nil {
		t.Fatal(err)
	}
	id := w.registered()
	a := account(id, "at", time.Hour)
	if err := w.Connect(t.Context(), "acme", "ann", "cloud", a); err != nil {
		t.Fatal(err)
	}
	has := func(want bool, what string) {
		t.Helper()
		queuetest.Until(t, what, func() bool { return x.Has("acme", "ann", "cloud") == want && changes.Load() > 0 })
		changes.Store(0)
	}
	has(true, "the account counts")
	if x.Has("acme", "bob", "cloud") || x.Has("acme", "", "cloud") || x.Has("other", "ann", "cloud") {
		t.Error("the account counts for others")
	}
	_, value, err := w.Account(t.Context(), "acme", "ann", "cloud")
	if err != nil {
		t.Fatal(err)
	}
	a.Lost = "gone"
	if _, err := w.Renew(t.Context(), "acme", "ann", "cloud", value, a); err != nil {
		t.Fatal(err)
	}
	has(false, "a lost account does not count")
	if err := w.Connect(t.Context(), "acme", "ann", "cloud", account(id, "at", time.Hour)); err != nil {
		t.Fatal(err)
	}
	has(true, "a connected account counts again")
	w.registered("base_url", `"https://other.example"`)
	has(false, "an account of another registration does not count")
}

// TestPresets: a preset is a registration without addresses, unless one is set, and its name
// may also be that of another type or of the operator's own service.
func TestPresets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := func(name, kind string, pairs ...string) (*Registration, error) {
		t.Helper()
		if _, err := w.Set(t.Context(), at("", name, "default"), protocol.ServiceSet{Type: kind, Fields: fields(pairs...)}, "root",
			granted); err != nil {
			return nil, err
		}
		return w.Registration(t.Context(), "acme", name)
	}
	for _, s := range presets() {
		reg, err := set(s.Name, "", "client_id", `"helve"`)
		if err != nil || reg == nil || reg.Values[FieldAuthorizationURL] == "" || reg.Values[FieldTokenURL] == "" ||
			reg.Values[FieldBaseURL] == "" || reg.Title != s.Title {
			t.Errorf("%s: %+v, %v", s.Name, reg, err)
		}
	}
	reg, err := set("google", typeOAuth2, "client_id", `"helve"`, "issuer", `"https://id.example"`)
	if err != nil || reg.Values[FieldTokenURL] != "" || reg.Values[FieldRevocationURL] != "" || reg.Values[FieldParams] != "" {
		t.Errorf("a preset with another issuer: %+v, %v", reg, err)
	}
	if reg, err := set("github", typeHTTP, "base_url", `"https://api.github.com"`, "api_key", `"k"`); reg != nil || err != nil {
		t.Errorf("a preset as another type: %+v, %v", reg, err)
	}
	own, err := NewRegistry(nil, []tool.Service{{Name: "google", Fields: []tool.ServiceField{{Name: "token", Type: tool.FieldText}}}})
	if err != nil {
		t.Fatal(err)
	}
	if s, known := own.Lookup("google"); !known || len(s.Fields) != 1 {
		t.Errorf("the operator's own service is %+v", s)
	}
}
