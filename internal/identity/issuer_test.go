package identity

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// who identifies itself with a token and waits for requests to the issuer.
func who(t *testing.T, a *Authenticator, token string) error {
	t.Helper()
	_, err := a.Identify(t.Context(), "Bearer "+token)
	a.tokens.issuer.settle()
	return err
}

// settle waits for a question that nobody waits for.
func (i *issuer) settle() {
	i.mu.Lock()
	answer := i.asking
	i.mu.Unlock()
	if answer != nil {
		<-answer
	}
}

func TestKeyRotation(t *testing.T) {
	l := newLocal(t)
	old, young := newSigningKey(t, jose.ES256, "old"), newSigningKey(t, jose.ES256, "young")
	l.publish(old)
	a := l.authenticator(t.Context())
	oldToken, youngToken := l.token(jose.ES256, old, nil, nil), l.token(jose.ES256, young, nil, nil)
	if err := who(t, a, oldToken); err != nil {
		t.Fatal(err)
	}
	if err := who(t, a, youngToken); err == nil {
		t.Error("a key that is not published counts")
	}
	l.publish(old, young)
	l.pass(pause)
	for what, token := range map[string]string{"the old key": oldToken, "the new key": youngToken} {
		if err := who(t, a, token); err != nil {
			t.Errorf("%s after the rotation: %v", what, err)
		}
	}

	l.publish(young)
	l.pass(renewAfter)
	if err := who(t, a, youngToken); err != nil { // asks, and does not wait
		t.Error(err)
	}
	if err := who(t, a, oldToken); err == nil {
		t.Error("a key that was taken back counts after it was found missing")
	}
}

// After a quiet night the first token waits, lest a key count that was taken
// back in the evening.
func TestOldKeysAreNotTrusted(t *testing.T) {
	l := newLocal(t)
	old, young := newSigningKey(t, jose.ES256, "old"), newSigningKey(t, jose.ES256, "young")
	l.publish(old)
	a := l.authenticator(t.Context())
	if err := who(t, a, l.token(jose.ES256, old, nil, nil)); err != nil {
		t.Fatal(err)
	}
	l.publish(young)
	l.pass(waitAfter)
	p, err := a.Identify(t.Context(), "Bearer "+l.token(jose.ES256, old, nil, nil))
	wantFailure(t, "a key taken back", p, err, 401, "not valid", "")
}

func TestUnknownKeysDoNotHammerTheIssuer(t *testing.T) {
	l := newLocal(t)
	key := newSigningKey(t, jose.EdDSA, "k1")
	l.publish(key)
	a := l.authenticator(t.Context())
	good := l.token(jose.EdDSA, key, nil, nil)
	flood := func() {
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				for m := range 50 {
					evil := key
					evil.KeyID = fmt.Sprint(n, "-", m)
					if _, err := a.Identify(t.Context(), "Bearer "+l.token(jose.EdDSA, evil, nil, nil)); err == nil {
						t.Error("a key nobody knows counts")
					}
				}
			})
		}
		all.Wait()
	}
	flood()
	if got := l.count(); got != 1 {
		t.Errorf("200 made-up tokens asked the issuer %d times, want once", got)
	}
	if err := who(t, a, good); err != nil {
		t.Errorf("a good token during the flood: %v", err)
	}
	l.pass(pause)
	flood()
	if got := l.count(); got != 2 {
		t.Errorf("after the pause the issuer was asked %d times, want twice", got)
	}
}

func TestIssuerDown(t *testing.T) {
	l := newLocal(t)
	key := newSigningKey(t, jose.EdDSA, "k1")
	l.publish(key)
	down := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) }
	l.set(func() { l.answer = down })

	path := filepath.Join(t.TempDir(), "keys.yaml")
	apiKey, entry := newEntry()
	write(t, path, entry)
	a, err := New(t.Context(), Options{
		KeysFile: path, Issuer: l.URL, Audience: "helve", TenantClaim: "tenant", UserClaim: "sub", RolesClaim: "roles", HTTP: l.Client(),
		Now: l.clock,
	})
	if err != nil {
		t.Fatalf("an issuer that is down stops the start: %v", err)
	}
	token := func() string { return l.token(jose.EdDSA, key, nil, nil) }
	unavailable := func(what string) {
		t.Helper()
		p, err := a.Identify(t.Context(), "Bearer "+token())
		wantFailure(t, what, p, err, 503, "try again", "")
	}
	unavailable("down at the start")
	unavailable("down at the start, asked again")
	if got := l.count(); got != 1 {
		t.Errorf("an issuer that is down was asked %d times without a pause", got)
	}
	if _, err := a.Identify(t.Context(), "Bearer "+apiKey); err != nil {
		t.Errorf("an API key while the issuer is down: %v", err)
	}

	l.set(func() { l.answer = nil })
	l.pass(pause)
	if err := who(t, a, token()); err != nil {
		t.Errorf("the issuer is back: %v", err)
	}
	l.set(func() { l.answer = down })
	l.pass(dropAfter - time.Second)
	if err := who(t, a, token()); err != nil {
		t.Errorf("down for less than a day: %v", err)
	}
	l.pass(time.Minute)
	unavailable("down for more than a day")
}

// Nobody waits longer than its own context for an issuer that hangs.
func TestIssuerHangs(t *testing.T) {
	l := newLocal(t)
	reached, release := make(chan bool), make(chan bool)
	l.set(func() { l.answer = func(http.ResponseWriter, *http.Request) { reached <- true; <-release } })
	defer close(release)
	life, end := context.WithCancel(t.Context())
	a := l.authenticator(life)
	defer a.tokens.issuer.settle()
	defer end()
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-reached; leave() }()
	p, err := a.Identify(ctx, "Bearer "+l.token(jose.EdDSA, newSigningKey(t, jose.EdDSA, "k1"), nil, nil))
	wantFailure(t, "a caller that left", p, err, 503, "try again", "")
	i := a.tokens.issuer
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.asking == nil {
		t.Error("the caller waited for the end of the question")
	}
}
