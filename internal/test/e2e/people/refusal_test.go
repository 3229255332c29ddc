package people

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestFailedAttempts: after an attempt that failed the call still waits, and the next
// attempt connects the account.
func TestFailedAttempts(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Discovered()))
	e, asked := waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	garbage := func(text string) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(text))
			return true
		}
	}
	status := func(code int) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(code)
			return true
		}
	}
	for _, tt := range []struct {
		name   string
		change func(b *oauthtest.Behaviour)
		// back changes the answer of the provider on its way.
		back func(q url.Values)
	}{
		{"the person refuses", func(b *oauthtest.Behaviour) { b.Refuse = "access_denied" }, nil},
		{"a refusal that is a script", func(b *oauthtest.Behaviour) { b.Refuse = "<script>alert(1)</script>" }, nil},
		{"another issuer", nil, func(q url.Values) { q.Set("iss", "https://evil.example") }},
		{"no issuer", nil, func(q url.Values) { q.Del("iss") }},
		{"two issuers", nil, func(q url.Values) { q.Add("iss", "https://evil.example") }},
		{"no code", nil, func(q url.Values) { q.Del("code") }},
		{"another code", nil, func(q url.Values) { q.Set("code", "code-of-mallory") }},
		{"garbage", func(b *oauthtest.Behaviour) { b.Answer = garbage("<html>") }, nil},
		{"nothing", func(b *oauthtest.Behaviour) { b.Answer = garbage(`{}`) }, nil},
		{"a token with a line break", func(b *oauthtest.Behaviour) {
			b.Answer = garbage(`{"access_token": "a\r\nX: y", "token_type": "Bearer"}`)
		}, nil},
		{"a huge answer", func(b *oauthtest.Behaviour) {
			b.Answer = garbage(`{"access_token": "` + strings.Repeat("x", 2<<20) + `"}`)
		}, nil},
		{"a redirect", func(b *oauthtest.Behaviour) {
			b.Answer = func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, "/api/thief", http.StatusTemporaryRedirect)
				return true
			}
		}, nil},
		{"too many requests", func(b *oauthtest.Behaviour) { b.Answer = status(http.StatusTooManyRequests) }, nil},
		{"a failure", func(b *oauthtest.Behaviour) { b.Answer = status(http.StatusInternalServerError) }, nil},
		{"silence", func(b *oauthtest.Behaviour) { b.Hang = true }, nil},
	} {
		if tt.change != nil {
			p.Set(tt.change)
		}
		b := newBrowser(t, s, "")
		_, page := b.step(t, asked.ConnectURL)
		_, back := b.step(t, page)
		if tt.back != nil {
			u, err := url.Parse(back)
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			tt.back(q)
			u.RawQuery = q.Encode()
			back = u.String()
		}
		if got, _ := b.step(t, back); got < 400 || got == 500 && tt.name != "garbage" {
			t.Errorf("%s: the callback = %d", tt.name, got)
		}
		p.Set(func(b *oauthtest.Behaviour) { *b = oauthtest.Behaviour{Life: time.Hour} })
		if got := consentOf(t, d, "ann", asked.ID); got.Status != "pending" {
			t.Errorf("%s: the consent is %+v", tt.name, got)
		}
	}
	if n := p.Requests("/api/thief", ""); n != 0 {
		t.Error("a token request was sent on to another address")
	}
	if got, _ := newBrowser(t, s, "").open(t, asked.ConnectURL); got != 200 {
		t.Fatalf("the next attempt = %d", got)
	}
	used(t, done(t, d, e.CallID))
}

// TestMixUp: a provider that sends people on to another one does not get the code of that.
func TestMixUp(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	honest := oauthtest.New(t, oauthtest.Behaviour{})
	evil := oauthtest.New(t, oauthtest.Behaviour{})
	d := s.HTTP(0)
	for name, body := range map[string]string{
		"by metadata":  oauthtest.Body(evil.Discovered(), "authorization_url", honest.URL+"/authorize", "token_url", evil.URL+"/token"),
		"by addresses": oauthtest.Body(evil.Fields()),
	} {
		register(t, d, cloud, body)
		_, asked := waiting(t, d, "ann", `{"tool": "cloud_read"}`)
		b := newBrowser(t, s, "")
		_, page := b.step(t, asked.ConnectURL)
		// The evil page sends the browser on to the honest provider.
		_, back := b.step(t, strings.Replace(page, evil.URL, honest.URL, 1))
		if !strings.Contains(back, "code=") {
			t.Fatalf("%s: the honest provider answers %s", name, back)
		}
		if status, _ := b.step(t, back); status < 400 {
			t.Errorf("%s: the callback = %d", name, status)
		}
		if n := evil.Requests("/token", ""); n != 0 {
			t.Errorf("%s: the code of the honest provider was sent to the other one", name)
		}
	}
}

// TestGuard: what an admin has set is reached on this machine too, and nothing else of it:
// metadata that names another address there leads to none.
func TestGuard(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{Config: func(c *config.Config) { c.AllowHosts = nil }}, 1)
	inside := oauthtest.New(t, oauthtest.Behaviour{})
	p := oauthtest.New(t, oauthtest.Behaviour{TokenURL: inside.URL + "/token"})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Discovered()))
	_, asked := waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	b := newBrowser(t, s, "")
	_, page := b.step(t, asked.ConnectURL)
	_, back := b.step(t, page)
	if status, _ := b.step(t, back); status < 400 || inside.Requests("/token", "") != 0 {
		t.Errorf("the callback = %d, with %d requests inside", status, inside.Requests("/token", ""))
	}
	if !strings.Contains(s.Logs.String(), "blocked internal address") {
		t.Error("the log does not name the refusal")
	}
}

// TestVerdicts: a denial, an expiry and a cancellation end a call that waits for an account
// as they end others, and "never ask" keeps the person from being asked.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	e, asked := waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	if r := d.Ask(t, "default", "consent.decide", map[string]string{"consent_id": asked.ID},
		`{"decision": "deny", "by": "ann"}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	if got := done(t, d, e.CallID); got.ErrorType != "permission_denied" ||
		!strings.Contains(got.Message, "does not want to connect an account of acmecloud") {
		t.Errorf("denied: %v", got)
	}
	e, _ = waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	if r := d.Ask(t, "default", "calls.cancel", map[string]string{"call_id": e.CallID}, ""); r.Status != 200 {
		t.Errorf("cancel = %d %s", r.Status, r.Body)
	}
	if got := done(t, d, e.CallID); got.ErrorType != "cancelled" {
		t.Errorf("cancelled: %v", got)
	}
	_, asked = waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	if r := d.Ask(t, "default", "consent.decide", map[string]string{"consent_id": asked.ID},
		`{"decision": "deny", "by": "ann", "never_ask": true}`); r.Status != 200 {
		t.Fatalf("deny = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "ann is asked no more", func() bool {
		got := call(t, d, "ann", `{"tool": "cloud_read"}`)
		return got.ErrorType == "permission_denied" && strings.Contains(got.Message, "helve grants revoke")
	})
	for what, body := range map[string]string{
		"nobody":                `{"calls": [{"tool": "cloud_read"}]}`,
		"a call that makes one": `{"context": {"user": "bob"}, "calls": [{"tool": "cloud_outer"}]}`,
		"after fences":          `{"context": {"user": "bob"}, "calls": [{"tool": "cloud_late"}]}`,
	} {
		got := system.Execute(t, d, "default", body).Results[0]
		if text := string(got.Result) + got.ErrorType; got.Status == "pending" || !strings.Contains(text, "not_configured") {
			t.Errorf("%s: %v", what, got)
		}
	}
}
