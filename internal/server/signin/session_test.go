package signin

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestSession: a session that began at one dispatcher counts at the other, and is over at
// both when it ends at one.
func TestSession(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{})
	key, id := w.key("ann", "name: laptop, roles: [user, approver]")
	s, err := w.a.WithKey(t.Context(), key, page)
	if err != nil || s.By.User != "ann" || !s.Ends.Equal(w.clock().Add(4*time.Hour).UTC()) {
		t.Fatalf("WithKey = %+v, %v", s.By, err)
	}
	for _, at := range []*Service{w.a, w.b} {
		by, err := at.Identify(t.Context(), s.Browser)
		if err != nil || by.Tenant != "acme" || by.User != "ann" || by.Name != "laptop" || by.Open ||
			!slices.Equal(by.Roles, []identity.Role{identity.User, identity.Approver}) || !by.SessionEnds.Equal(s.Ends) {
			t.Errorf("Identify = %+v, %v", by, err)
		}
	}
	all := stored(t, w.a.Bucket)
	for _, secret := range []string{key[len(key)-20:], s.Cookie[20:], page} {
		if strings.Contains(all, secret) {
			t.Errorf("the bucket has a secret: %s", all)
		}
	}
	if !strings.Contains(all, id) {
		t.Errorf("the bucket does not have the session: %s", all)
	}
	if err := w.b.End(t.Context(), s.Browser); err != nil {
		t.Fatal(err)
	}
	w.wantOver("after signing out", s.Browser)
	if err := w.b.End(t.Context(), s.Browser); err != nil {
		t.Errorf("signing out twice: %v", err)
	}
	if want := []string{"ann true API key", "ann false API key"}; !slices.Equal(w.events, want) {
		t.Errorf("the trail has %q, want %q", w.events, want)
	}
}

// TestNoSession: what is no token of a session is refused, whatever it is.
func TestNoSession(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{})
	key, _ := w.key("ann", "roles: [user]")
	s, err := w.a.WithKey(t.Context(), key, page)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, _ := strings.Cut(s.Cookie, ".")
	var wrong []Browser
	for _, cookie := range []string{
		"", ".", "x", head, head + ".", head + "." + strings.ToLower(tail), s.Cookie + " ", s.Cookie + s.Cookie, head + ".*", "*." + tail,
		head + "." + strings.Repeat("A", 52), key, strings.Repeat("x", 1<<20),
	} {
		wrong = append(wrong, Browser{cookie, page})
	}
	for _, secret := range []string{"", page[:42], page + "p", "q" + page[1:], strings.ToUpper(page), page + " ", strings.Repeat("p", 1<<20)} {
		wrong = append(wrong, Browser{s.Cookie, secret})
	}
	for _, b := range wrong {
		if _, err := w.a.Identify(t.Context(), b); !over(err) {
			t.Errorf("Identify(%.80q) = %v", b, err)
		}
		if err := w.a.End(t.Context(), b); err != nil {
			t.Errorf("End(%.80q) = %v", b, err)
		}
	}
	for _, weak := range []string{"", "1", page[:42], page + "ä", strings.Repeat("p", 129)} {
		if got, err := w.a.WithKey(t.Context(), key, weak); err == nil || got.Cookie != "" {
			t.Errorf("with the secret %.50q a session began", weak)
		}
	}
	other, _, _ := entry("ann", "")
	for _, key := range []string{"", "hk_", other, key + "x", key[:len(key)-1], strings.Repeat("h", 1<<20)} {
		got, err := w.a.WithKey(t.Context(), key, page)
		if !over(err) || got.Cookie != "" || len(key) > 20 && strings.Contains(err.Error(), key[len(key)-10:]) {
			t.Errorf("WithKey(%.80q) = %+v, %v", key, got, err)
		}
	}
	if _, err := w.a.Identify(t.Context(), s.Browser); err != nil {
		t.Errorf("beside them the session is over: %v", err)
	}
}

// TestKeyChanges: a session has what its key has now.
func TestKeyChanges(t *testing.T) {
	testtime.Slow(t, "it waits until key files are read again")
	w := newWorld(t, oauthtest.Behaviour{})
	key, id := w.key("ann", "roles: [user]")
	s, err := w.a.WithKey(t.Context(), key, page)
	if err != nil {
		t.Fatal(err)
	}
	_, _, hash := identity.NewKey()
	ref, _, err := w.a.Auth.Key(key)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(w.read(), "roles: [user]", "roles: [auditor]", 1)
	w.write(text)
	w.until("the roles are others", func(at *Service) bool {
		by, err := at.Identify(t.Context(), s.Browser)
		return err == nil && slices.Equal(by.Roles, []identity.Role{identity.Auditor})
	})
	for what, file := range map[string]string{
		"disabled": strings.Replace(text, "roles", "disabled: true, roles", 1),
		"expired":  strings.Replace(text, "roles", "expires: 2020-01-01T00:00:00Z, roles", 1),
		"removed":  "[]", "another secret": "[{id: " + id + ", hash: \"" + hash + "\", tenant: acme, user: ann, roles: [user]}]",
	} {
		w.write(text)
		w.until("the key is back", func(at *Service) bool { _, err := at.Auth.Referred(ref); return err == nil })
		if _, err := w.a.Identify(t.Context(), s.Browser); err != nil {
			t.Errorf("before the key is %s: %v", what, err)
		}
		w.write(file)
		w.until("the key is "+what, func(at *Service) bool { _, err := at.Identify(t.Context(), s.Browser); return over(err) })
	}
}

// TestExpiry: a session ends without use, and with any use when it is old.
func TestExpiry(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{})
	key, _ := w.key("ann", "roles: [user]")
	begin := func() Browser {
		s, err := w.a.WithKey(t.Context(), key, page)
		if err != nil {
			t.Fatal(err)
		}
		return s.Browser
	}
	idle, used := begin(), begin()
	for range 4 { // 3 h 20 min
		w.pass(50 * time.Minute)
		if _, err := w.b.Identify(t.Context(), used); err != nil {
			t.Fatalf("a session in use: %v", err)
		}
	}
	w.wantOver("a session without use", idle)
	w.pass(39 * time.Minute)
	if _, err := w.a.Identify(t.Context(), used); err != nil {
		t.Fatalf("a session in use: %v", err)
	}
	w.pass(time.Minute)
	w.wantOver("an old session", used)
	short := begin()
	w.a.Life, w.b.Life = time.Minute, time.Minute // other settings count for sessions that exist
	w.pass(2 * time.Minute)
	w.wantOver("a session of earlier settings", short)
}

// TestEndedForGood: a request that notes the use of a session does not bring it back.
func TestEndedForGood(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{})
	key, _ := w.key("ann", "roles: [user]")
	for range 20 {
		s, err := w.a.WithKey(t.Context(), key, page)
		if err != nil {
			t.Fatal(err)
		}
		w.pass(10 * time.Minute) // its use is due to be noted
		var using sync.WaitGroup
		for range 4 {
			using.Go(func() { _, _ = w.a.Identify(context.WithoutCancel(t.Context()), s.Browser) })
		}
		if err := w.b.End(t.Context(), s.Browser); err != nil {
			t.Fatal(err)
		}
		w.wantOver("right after its end", s.Browser)
		using.Wait()
		w.wantOver("when requests are over", s.Browser)
	}
}

// TestBounded: a credential has a number of sessions, and the newest ones count.
func TestBounded(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{})
	key, _ := w.key("ann", "roles: [user]")
	var sessions []Browser
	for range maxSessions + 3 {
		s, err := w.a.WithKey(t.Context(), key, page)
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s.Browser)
		w.pass(time.Second)
	}
	for i, b := range sessions {
		if i < 3 {
			w.wantOver("one of the oldest", b)
		} else if _, err := w.b.Identify(t.Context(), b); err != nil {
			t.Errorf("session %d: %v", i, err)
		}
	}
}

// TestUnavailable: without the bucket nobody is told that a session is over.
func TestUnavailable(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{})
	key, _ := w.key("ann", "roles: [user]")
	s, err := w.a.WithKey(t.Context(), key, page)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.a.Identify(ended, s.Browser); err == nil || over(err) {
		t.Errorf("Identify = %v, want another error", err)
	}
	if err := w.a.End(ended, s.Browser); err == nil {
		t.Error("a session that could not be ended was reported as ended")
	}
}
