package signin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/identity"
)

// ann returns the claims of a person.
func ann(changes ...any) map[string]any {
	claims := map[string]any{"sub": "ann", "tenant": "acme", "roles": []string{"user", "approver"}}
	for i := 0; i+1 < len(changes); i += 2 {
		claims[changes[i].(string)] = changes[i+1]
	}
	return claims
}

// agree lets the person sign in at the issuer, and returns its answer with the cookie.
func (w *world) agree(b Begun) Answer {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, b.Location, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := w.a.Issuer.HTTP.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	back, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), redirect) {
		w.t.Fatalf("the issuer answers %d %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	q := back.Query()
	if AttemptName(q.Get("state")) != b.Name {
		w.t.Errorf("the cookie %s is not that of the state %s", b.Name, q.Get("state"))
	}
	return Answer{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error"), Browser: Browser{b.Cookie, page}}
}

func (w *world) begin(next string) Begun {
	w.t.Helper()
	b, err := w.a.Begin(w.t.Context(), next, page)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) wantRefusal(what string, s Session, err error, reason, next string) {
	w.t.Helper()
	var got *Refusal
	if !errors.As(err, &got) || got.Reason != reason || got.Next != next || s.Cookie != "" {
		w.t.Errorf("%s: %+v, %v, want %s and the page %s", what, s, err, reason, next)
	}
}

// TestIssuer: a person signs in at the issuer, between two dispatchers.
func TestIssuer(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{Claims: ann()})
	b := w.begin("/consents/c-1")
	asked, err := url.Parse(b.Location)
	if err != nil {
		t.Fatal(err)
	}
	q := asked.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("scope") != "openid" || q.Get("redirect_uri") != redirect ||
		len(q.Get("nonce")) < 30 || q.Get("nonce") == q.Get("state") {
		t.Errorf("the request is %v", q)
	}
	answer := w.agree(b)
	s, next, err := w.b.Finish(t.Context(), answer)
	if err != nil || next != "/consents/c-1" {
		t.Fatalf("Finish = %q, %v", next, err)
	}
	by, err := w.a.Identify(t.Context(), s.Browser)
	if err != nil || by.Tenant != "acme" || by.User != "ann" || by.Name != "token of ann" ||
		!slices.Equal(by.Roles, []identity.Role{identity.User, identity.Approver}) {
		t.Errorf("Identify = %+v, %v", by, err)
	}
	again, _, err := w.a.Finish(t.Context(), answer)
	w.wantRefusal("the answer again", again, err, Expired, "/consents/c-1")

	w.a.Issuer, w.b.Issuer = nil, nil // its sessions are over when the issuer is not trusted any more
	w.wantOver("without the issuer", s.Browser)
	if want := []string{"ann true issuer"}; !slices.Equal(w.events, want) {
		t.Errorf("the trail has %q, want %q", w.events, want)
	}
}

// TestForeignAnswers: an answer counts only in the browser whose attempt it is.
func TestForeignAnswers(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{Claims: ann()})
	mine, theirs := w.begin("/calls"), w.begin("/fleet")
	answer := w.agree(mine)
	for what, change := range map[string]func(*Answer){
		"no cookie": func(a *Answer) { a.Cookie = "" }, "another cookie": func(a *Answer) { a.Cookie = theirs.Cookie },
		"no state": func(a *Answer) { a.State = "" }, "another state": func(a *Answer) { a.State += "A" },
		"a broken cookie":  func(a *Answer) { a.Cookie = a.Cookie[:20] },
		"a long cookie":    func(a *Answer) { a.Cookie = strings.Repeat("A", 1<<20) },
		"an empty attempt": func(a *Answer) { a.Cookie = "e30" },
		"no page":          func(a *Answer) { a.Page = "" }, "pages of another origin": func(a *Answer) { a.Page = "q" + page[1:] },
	} {
		changed := answer
		change(&changed)
		s, _, err := w.a.Finish(t.Context(), changed)
		var got *Refusal
		if !errors.As(err, &got) || got.Reason != Expired || s.Cookie != "" {
			t.Errorf("%s: %+v, %v, want expired", what, s, err)
		}
	}
	if n := w.provider.Requests("/token", ""); n != 0 {
		t.Errorf("%d of them reached the issuer", n)
	}
	if _, _, err := w.a.Finish(t.Context(), answer); err != nil {
		t.Errorf("the attempt itself: %v", err)
	}
	late := w.agree(w.begin("/calls"))
	w.pass(AttemptLife + time.Second)
	s, _, err := w.a.Finish(t.Context(), late)
	w.wantRefusal("a late answer", s, err, Expired, "/calls")
}

// TestRefusals: nobody is signed in whom the issuer does not name to this server, and the
// log has the cause.
func TestRefusals(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{})
	for _, tt := range []struct {
		what, reason string
		behaviour    oauthtest.Behaviour
	}{
		{"the person refuses", Denied, oauthtest.Behaviour{Claims: ann(), Refuse: "access_denied"}},
		{"the issuer does not name itself", Denied, oauthtest.Behaviour{Claims: ann(), NoIssuer: true}},
		{"no ID token", Refused, oauthtest.Behaviour{}},
		{"another audience", Refused, oauthtest.Behaviour{Claims: ann("aud", "another")}},
		{"another nonce", Refused, oauthtest.Behaviour{Claims: ann("nonce", "another")}},
		{"no nonce", Refused, oauthtest.Behaviour{Claims: ann("nonce", nil)}},
		{"for another party", Refused, oauthtest.Behaviour{Claims: ann("azp", "another")}},
		{"for several, and nobody requested it", Refused, oauthtest.Behaviour{Claims: ann("aud", []string{oauthtest.ClientID, "another"})}},
		{"an old token", Refused, oauthtest.Behaviour{Claims: ann("exp", 1000)}},
		{"another issuer in the token", Refused, oauthtest.Behaviour{Claims: ann("iss", "https://another.example")}},
		{"no tenant", Refused, oauthtest.Behaviour{Claims: ann("tenant", "")}},
		{"an unusable user", Refused, oauthtest.Behaviour{Claims: ann("sub", "a/b")}},
		{"no role", Refused, oauthtest.Behaviour{Claims: ann("roles", []string{"boss"})}},
		{"the issuer fails", Unavailable, oauthtest.Behaviour{Claims: ann(), Answer: func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}}},
	} {
		w.provider.Set(func(b *oauthtest.Behaviour) { *b = tt.behaviour })
		s, _, err := w.b.Finish(t.Context(), w.agree(w.begin("/calls")))
		w.wantRefusal(tt.what, s, err, tt.reason, "/calls")
	}
	w.provider.Set(func(b *oauthtest.Behaviour) {
		*b = oauthtest.Behaviour{Claims: ann("aud", []string{oauthtest.ClientID, "another"}, "azp", oauthtest.ClientID)}
	})
	if _, _, err := w.b.Finish(t.Context(), w.agree(w.begin("/calls"))); err != nil {
		t.Errorf("a token for several that this client requested: %v", err)
	}
	if all := stored(t, w.a.Bucket); strings.Count(all, "\n") != 1 {
		t.Errorf("the bucket has %s, want one session", all)
	}
	for _, entry := range w.logs.All() {
		for _, field := range entry.Context {
			if strings.Contains(field.String, oauthtest.ClientSecret) || strings.Contains(field.String, "code-") {
				t.Errorf("a secret is logged: %s %v", entry.Message, field)
			}
		}
	}
	if w.logs.FilterMessage("sign-in at the issuer failed").Len() == 0 {
		t.Error("the operator learns of no cause")
	}
}

// TestIssuerAway: an issuer that is away stops nobody with a key, and is not asked by every
// visitor.
func TestIssuerAway(t *testing.T) {
	w := newWorld(t, oauthtest.Behaviour{NoMetadata: true})
	for range 5 {
		b, err := w.a.Begin(t.Context(), "/calls", page)
		if got, ok := errors.AsType[*Refusal](err); !ok || got.Reason != Unavailable || got.Next != "/calls" || b.Location != "" {
			t.Errorf("Begin = %+v, %v", b, err)
		}
	}
	if n := w.provider.Requests("/.well-known/openid-configuration", ""); n != 1 {
		t.Errorf("the issuer was asked %d times, want once", n)
	}
	key, _ := w.key("ann", "roles: [user]")
	if _, err := w.a.WithKey(t.Context(), key, page); err != nil {
		t.Errorf("with a key: %v", err)
	}
	w.provider.Set(func(b *oauthtest.Behaviour) { b.NoMetadata = false; b.Claims = ann() })
	w.pass(metadataPause)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = w.a.Begin(gone, "/", page) // a visitor who leaves is not the issuer's failure
	if _, _, err := w.a.Finish(t.Context(), w.agree(w.begin("/"))); err != nil {
		t.Errorf("when it is back: %v", err)
	}
}
