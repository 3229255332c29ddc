package oauth_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/tool"
)

// TestExchange: tokens are issued for a code with its verifier, its redirect address and the
// registration, in either way of authentication.
func TestExchange(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		b        oauthtest.Behaviour
		auth     string
		want     string
		requests int
	}{
		"basic":               {oauthtest.Behaviour{Basic: true, Life: time.Hour}, oauth.Basic, oauth.Basic, 1},
		"post":                {oauthtest.Behaviour{Post: true, Life: time.Hour}, oauth.Post, oauth.Post, 1},
		"unknown, and basic":  {oauthtest.Behaviour{Basic: true, Life: time.Hour}, "", oauth.Basic, 1},
		"unknown, and post":   {oauthtest.Behaviour{Post: true, Life: time.Hour}, "", oauth.Post, 2},
		"a life in text":      {oauthtest.Behaviour{Lifetime: `"3600"`}, "", oauth.Basic, 1},
		"a token without end": {oauthtest.Behaviour{}, "", oauth.Basic, 1},
		"a negative life":     {oauthtest.Behaviour{Lifetime: "-5"}, "", oauth.Basic, 1},
		"an endless life":     {oauthtest.Behaviour{Lifetime: "99999999999999"}, "", oauth.Basic, 1},
		"a huge life":         {oauthtest.Behaviour{Lifetime: "1e300"}, "", oauth.Basic, 1},
		"a broken life":       {oauthtest.Behaviour{Lifetime: "3600.7"}, "", oauth.Basic, 1},
		"a broken text":       {oauthtest.Behaviour{Lifetime: `" 3600.0 "`}, "", oauth.Basic, 1},
		"a life in words":     {oauthtest.Behaviour{Lifetime: `"an hour"`}, "", oauth.Basic, 1},
		"an empty life":       {oauthtest.Behaviour{Lifetime: `""`}, "", oauth.Basic, 1},
		"a life that is none": {oauthtest.Behaviour{Lifetime: `{"hours": 1}`}, "", oauth.Basic, 1},
		"no number":           {oauthtest.Behaviour{Lifetime: `"NaN"`}, "", oauth.Basic, 1},
	} {
		p := oauthtest.New(t, tt.b)
		helve := at(t, p)
		helve.TokenAuth = tt.auth
		verifier := oauth.NewVerifier()
		answer := agree(t, helve, "state", verifier)
		got, err := helve.Exchange(t.Context(), answer.Get("code"), verifier, redirect)
		if err != nil || !p.Valid(got.Access) || got.Refresh == "" || got.Scopes != "read write" || got.TokenAuth != tt.want ||
			p.Requests("/token", "") != tt.requests {
			t.Errorf("%s: %+v, %v after %d requests", name, got, err, p.Requests("/token", ""))
		}
		if hour := tt.b.Life > 0 ||
			strings.Contains(tt.b.Lifetime, "3600"); hour && (got.Life.Round(time.Minute) != time.Hour || time.Until(got.Expires) > time.Hour) {
			t.Errorf("%s: life %v until %v", name, got.Life, got.Expires)
		}
		if without := map[string]bool{
			"-5": true, `"an hour"`: true, `""`: true, `{"hours": 1}`: true, `"NaN"`: true,
		}; without[tt.b.Lifetime] && (got.Life != 0 || !got.Expires.IsZero()) {
			t.Errorf("%s: life %v until %v", name, got.Life, got.Expires)
		}
		_, err = helve.Exchange(t.Context(), answer.Get("code"), verifier, redirect)
		wantFailure(t, name+", again", err, tool.ExecutionError, "invalid_grant")
	}
}

// TestExchangeRefused: the provider verifies what binds a code, so a stolen code is of no use.
func TestExchangeRefused(t *testing.T) {
	t.Parallel()
	p := oauthtest.New(t, oauthtest.Behaviour{})
	helve, verifier := at(t, p), oauth.NewVerifier()
	for what, tt := range map[string]struct{ verifier, redirect string }{
		"another verifier":         {oauth.NewVerifier(), redirect},
		"no verifier":              {"", redirect},
		"another redirect address": {verifier, redirect + "x"},
	} {
		_, err := helve.Exchange(t.Context(), agree(t, helve, "state", verifier).Get("code"), tt.verifier, tt.redirect)
		wantFailure(t, what, err, tool.ExecutionError, "invalid_grant")
	}
	helve.Secret = "another"
	_, err := helve.Exchange(t.Context(), agree(t, helve, "state", verifier).Get("code"), verifier, redirect)
	wantFailure(t, "another secret", err, tool.NotConfigured, "does not accept Helve's registration")
}

// TestAuthorizationURL: it has PKCE with S256 and what Helve sets, and settings add to it.
func TestAuthorizationURL(t *testing.T) {
	t.Parallel()
	p := &oauth.Provider{
		Authorization: "https://id.example/a?tenant=x",
		ClientID:      "helve",
		Scopes:        []string{"a", "b"},
		Params:        url.Values{"access_type": {"offline"}},
	}
	u, err := url.Parse(p.AuthorizationURL("st", strings.Repeat("v", 43), redirect))
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"tenant": {"x"}, "response_type": {"code"}, "client_id": {"helve"}, "redirect_uri": {redirect}, "scope": {"a b"},
		"state": {"st"}, "access_type": {"offline"}, "code_challenge_method": {"S256"},
		"code_challenge": {"M85Y6tDOe_Hsb1iVzVn9Z4T-V1D4RSS4e5F4fT6d-mg"},
	}
	got := u.Query()
	got.Set("code_challenge", want.Get("code_challenge")) // compared by the provider of TestExchange
	if !maps.EqualFunc(got, want, func(a, b []string) bool { return strings.Join(a, ",") == strings.Join(b, ",") }) {
		t.Errorf("AuthorizationURL has %v, want %v", got, want)
	}
}

func TestCheckIssuer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		issuer  string
		answers bool
		iss     string
		ok      bool
	}{
		{"https://id.example", true, "https://id.example", true},
		{"https://id.example", true, "", false},
		{"https://id.example", false, "", true},
		{"https://id.example", false, "https://evil.example", false},
		{"https://id.example", true, "https://id.example/", false},
		{"", false, "", true},
		{"", false, "https://page.example", true},
		{"", false, "https://page.example/tenant", true},
		{"", false, "https://page.example.evil.example", false},
		{"", false, "http://page.example", false},
		{"", false, "https://honest.example", false},
		{"", false, "::", false},
	} {
		p := &oauth.Provider{Title: "X", Issuer: tt.issuer, AnswersIssuer: tt.answers, Authorization: "https://page.example/authorize"}
		if err := p.CheckIssuer(tt.iss); (err == nil) != tt.ok {
			t.Errorf("issuer %q, answers %v: CheckIssuer(%q) = %v, want ok %v", tt.issuer, tt.answers, tt.iss, err, tt.ok)
		}
	}
}

// TestRenew: a refresh token is replaced, a provider that keeps it leaves it, and a token that
// was used or revoked is gone.
func TestRenew(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]oauthtest.Behaviour{"rotating": {Life: time.Hour}, "kept": {Life: time.Hour, Keep: true}} {
		p := oauthtest.New(t, b)
		helve, verifier := at(t, p), oauth.NewVerifier()
		first, err := helve.Exchange(t.Context(), agree(t, helve, "s", verifier).Get("code"), verifier, redirect)
		if err != nil {
			t.Fatal(err)
		}
		second, err := helve.Renew(t.Context(), first.Refresh)
		if err != nil || !p.Valid(second.Access) || second.Access == first.Access || (second.Refresh == first.Refresh) != b.Keep {
			t.Errorf("%s: %+v, %v", name, second, err)
		}
		_, err = helve.Renew(t.Context(), first.Refresh)
		if oauth.Gone(err) == b.Keep {
			t.Errorf("%s: the first refresh token again = %v", name, err)
		}
	}
}

// TestTokenEndpoint: each misbehaviour of a token endpoint is an error with advice, which has
// no secrets.
func TestTokenEndpoint(t *testing.T) {
	t.Parallel()
	answer := func(status int, contentType, body string) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	const form, text = "application/x-www-form-urlencoded", "application/json"
	for what, tt := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request) bool
		kind   tool.Kind
		text   string
		gone   bool
	}{
		"too many":     {answer(429, text, `{"error": "slow"}`), tool.RateLimited, "in 7 seconds", false},
		"a failure":    {answer(500, "text/html", "<h1>at-secret</h1>"), tool.NetworkError, "failed to answer (500", false},
		"unavailable":  {answer(400, text, `{"error": "temporarily_unavailable"}`), tool.NetworkError, "temporarily_unavailable", false},
		"a page":       {answer(200, "text/html", "<h1>at-secret</h1>"), tool.ExecutionError, "something that is no token", false},
		"nothing":      {answer(200, text, `{}`), tool.ExecutionError, "something that is no token", false},
		"another type": {answer(200, text, `{"access_token": 5}`), tool.ExecutionError, "something that is no token", false},
		"a list":       {answer(200, text, `[]`), tool.ExecutionError, "something that is no token", false},
		"a line break": {
			answer(200, text, `{"access_token": "at-x\r\nX: y", "token_type": "Bearer"}`), tool.ExecutionError, "cannot be used", false,
		},
		"a long token": {
			answer(200, text, `{"access_token": "`+strings.Repeat("x", 20<<10)+`"}`), tool.ExecutionError, "cannot be used", false,
		},
		"a huge answer": {
			answer(200, text, `{"access_token": "`+strings.Repeat("x", 2<<20)+`"}`), tool.ExecutionError, "more than", false,
		},
		"a refusal with 200": {
			answer(200, text, `{"ok": false, "error": "invalid_refresh_token"}`), tool.ExecutionError, "invalid_refresh_token", true,
		},
		"a refusal as a form": {
			answer(200, form, "error=bad_refresh_token&error_description=told+by+the+provider"), tool.ExecutionError, "bad_refresh_token", true,
		},
		"a code that is none": {
			answer(400, text, `{"error": "rt-x <script>"}`), tool.ExecutionError, "answered 400 without an error code", false,
		},
		"another registration": {answer(401, text, `{"error": "invalid_client"}`), tool.NotConfigured, "helve config set", false},
		"a redirect":           {answer(302, text, ``), tool.ExecutionError, "answered 302", false},
	} {
		p := oauthtest.New(t, oauthtest.Behaviour{Answer: tt.answer})
		_, err := at(t, p).Renew(t.Context(), "rt-secret")
		wantFailure(t, what, err, tt.kind, tt.text)
		if oauth.Gone(err) != tt.gone {
			t.Errorf("%s: Gone = %v", what, !tt.gone)
		}
	}
	p := oauthtest.New(t, oauthtest.Behaviour{Hang: true})
	helve := at(t, p)
	helve.HTTP = oauth.Client(http.DefaultTransport.RoundTrip, 50*time.Millisecond)
	_, err := helve.Renew(t.Context(), "rt-secret")
	wantFailure(t, "silence", err, tool.Timeout, "did not answer in time")
}

// TestRevoke: the provider recognizes Helve, and a failure is told.
func TestRevoke(t *testing.T) {
	t.Parallel()
	for _, auth := range []string{oauth.Basic, oauth.Post} {
		p := oauthtest.New(t, oauthtest.Behaviour{Basic: auth == oauth.Basic, Post: auth == oauth.Post})
		helve, verifier := at(t, p), oauth.NewVerifier()
		helve.TokenAuth = auth
		got, err := helve.Exchange(t.Context(), agree(t, helve, "s", verifier).Get("code"), verifier, redirect)
		if err != nil {
			t.Fatal(err)
		}
		if err := helve.Revoke(t.Context(), got.Refresh, oauth.RefreshToken, auth); err != nil || p.Valid(got.Access) || p.Tokens() != 0 {
			t.Errorf("%s: Revoke = %v, %d tokens left", auth, err, p.Tokens())
		}
		helve.Secret = "another"
		wantFailure(t, auth+" with another secret", helve.Revoke(t.Context(), "rt-x", oauth.RefreshToken, auth), tool.NotConfigured,
			"helve config set")
		helve.Revocation = ""
		wantFailure(t, "no address", helve.Revoke(t.Context(), "rt-x", oauth.RefreshToken, auth), tool.Unsupported, "settings of their account")
	}
}

// TestDevice: a terminal gets a code, and tokens when it was entered.
func TestDevice(t *testing.T) {
	t.Parallel()
	p := oauthtest.New(t, oauthtest.Behaviour{Codes: []string{"authorization_pending", "slow_down", "access_denied", "expired_token"}})
	helve := at(t, p)
	d, err := helve.StartDevice(t.Context())
	if err != nil || d.UserCode != "WDJB-MJHT" || d.Page != p.URL+"/enter" || d.Interval != 5*time.Second ||
		time.Until(d.Expires) > 30*time.Minute {
		t.Fatalf("StartDevice = %+v, %v", d, err)
	}
	for _, want := range []string{"pending", "pending slow", "denied", "gone"} {
		_, err := helve.PollDevice(t.Context(), d.Code)
		pending, slow := oauth.Pending(err)
		got := ""
		for name, is := range map[string]bool{
			"pending": pending && !slow, "pending slow": slow, "denied": oauth.Denied(err), "gone": oauth.Gone(err),
		} {
			if is {
				got += name
			}
		}
		if got != want {
			t.Errorf("PollDevice = %v, which is %q, want %q", err, got, want)
		}
	}
	if got, err := helve.PollDevice(t.Context(), d.Code); err != nil || !p.Valid(got.Access) {
		t.Errorf("PollDevice = %+v, %v", got, err)
	}
}

// TestDeviceAnswers: what a provider writes for a person and a terminal is bounded, and does
// nothing to the terminal.
func TestDeviceAnswers(t *testing.T) {
	t.Parallel()
	p := oauthtest.New(t, oauthtest.Behaviour{})
	helve := at(t, p)
	for interval, want := range map[int]time.Duration{-1: 5 * time.Second, 7: 7 * time.Second, 100_000: time.Minute, 1 << 60: time.Minute} {
		p.Set(func(b *oauthtest.Behaviour) { b.Interval = interval })
		if d, err := helve.StartDevice(t.Context()); err != nil || d.Interval != want {
			t.Errorf("interval %d: %+v, %v, want %v", interval, d, err, want)
		}
	}
	for what, tt := range map[string]struct{ code, page string }{
		"an escape sequence":  {"AB\x1b]0;x\a", ""},
		"a code of two lines": {"AB\nopen https://evil.example", ""},
		"a reversed text":     {"AB\u202eCD", ""},
		"a long code":         {strings.Repeat("A", 101), ""},
		"a page without TLS":  {"", "http://id.example/enter"},
		"a page of a script":  {"", "javascript:alert(1)"},
		"a page of two lines": {"", "https://id.example/\u0085x"},
	} {
		p.Set(func(b *oauthtest.Behaviour) { b.UserCode, b.EnterURL = tt.code, tt.page })
		_, err := helve.StartDevice(t.Context())
		wantFailure(t, what, err, tool.ExecutionError, "a code that cannot be used")
	}
}
