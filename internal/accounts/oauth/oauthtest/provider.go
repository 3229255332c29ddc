package oauthtest

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The registration of Helve at a provider.
const (
	ClientID     = "helve-client"
	ClientSecret = "s3cret-of-helve"
)

// Provider is a provider. Its fields may be changed under [Provider.Set].
type Provider struct {
	URL string

	mu sync.Mutex
	Behaviour
	codes    map[string]grant
	refresh  map[string]bool
	access   map[string]bool
	used     map[string]bool // refresh tokens that were replaced
	devices  map[string]string
	requests []Request
	hang     chan struct{}
	key      jose.JSONWebKey // signs ID tokens
}

// Behaviour holds the faults of a provider. The zero value has none.
type Behaviour struct {
	// Life is the life of access tokens; 0 for tokens without an end, and Lifetime the text
	// of expires_in in its place.
	Life     time.Duration
	Lifetime string
	// NoRefresh issues no refresh tokens, Keep does not replace them, and Grace accepts the
	// one before once more.
	NoRefresh, Keep, Grace bool
	// Issuer is the issuer in answers and metadata, if not the provider's own address;
	// NoIssuer leaves iss out although it is announced.
	Issuer   string
	NoIssuer bool
	// Refuse is the error of the page.
	Refuse string
	// Post wants the client's secret in the body, and Basic in the header.
	Post, Basic bool
	// Answer, if set, replaces the answer of the token endpoint.
	Answer func(w http.ResponseWriter, r *http.Request) bool
	// Hang lets the token endpoint wait until the provider ends.
	Hang bool
	// Codes are the errors with which the next polls of a device are answered.
	Codes []string
	// NoMetadata leaves the metadata out, NoOAuthMetadata only that of RFC 8414.
	NoMetadata, NoOAuthMetadata bool
	// TokenURL is the token endpoint in the metadata, if not the provider's own.
	TokenURL string
	// Interval is that of devices, in seconds.
	Interval int
	// UserCode and EnterURL are the code of a device and the page for it, if not the usual.
	UserCode, EnterURL string
	// NoScope leaves the scopes out of answers.
	NoScope bool
	// Claims are those of ID tokens, beside or in place of the usual ones; nil for none of
	// these tokens.
	Claims map[string]any
}

// Request is a request that a provider has received.
type Request struct {
	Path string
	Form url.Values
}

type grant struct{ challenge, redirect, scope, nonce string }

// New starts a provider, which ends with the test.
func New(t *testing.T, b Behaviour) *Provider {
	t.Helper()
	p := &Provider{
		Behaviour: b, codes: map[string]grant{}, refresh: map[string]bool{}, access: map[string]bool{}, used: map[string]bool{},
		devices: map[string]string{}, hang: make(chan struct{}), key: newKey(t),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("POST /revoke", p.revoke)
	mux.HandleFunc("POST /device", p.device)
	mux.HandleFunc("GET /userinfo", p.userinfo)
	mux.HandleFunc("GET /api/", p.userinfo)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{p.key.Public()}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, r *http.Request) {
		p.metadata(w, r, p.Behaviour.NoOAuthMetadata)
	})
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) { p.metadata(w, r, false) })
	s := httptest.NewServer(mux)
	p.URL = s.URL
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(p.hang) })
	return p
}

// Set changes the behaviour.
func (p *Provider) Set(change func(b *Behaviour)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.Behaviour)
}

// Requests returns the requests to a path, with a grant type if it is not empty.
func (p *Provider) Requests(path, grantType string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if r.Path == path && (grantType == "" || r.Form.Get("grant_type") == grantType) {
			n++
		}
	}
	return n
}

// Last returns the last request to a path.
func (p *Provider) Last(path string) Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range slices.Backward(p.requests) {
		if r.Path == path {
			return r
		}
	}
	return Request{}
}

// Revoke ends all access tokens, and with refresh all refresh tokens too.
func (p *Provider) Revoke(refresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.access)
	if refresh {
		clear(p.refresh)
		clear(p.used)
	}
}

// Valid reports whether an access token is valid.
func (p *Provider) Valid(token string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.access[token]
}

// Tokens returns how many refresh tokens are valid.
func (p *Provider) Tokens() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.refresh)
}

// Fields returns the fields of the registration at the provider by addresses.
func (p *Provider) Fields() map[string]string {
	return map[string]string{
		"authorization_url": p.URL + "/authorize", "token_url": p.URL + "/token", "revocation_url": p.URL + "/revoke",
		"client_id": ClientID, "client_secret": ClientSecret, "scopes": "read write", "base_url": p.URL + "/api",
	}
}

// Discovered returns the fields of the registration by the issuer.
func (p *Provider) Discovered() map[string]string {
	return map[string]string{
		"issuer": p.URL, "client_id": ClientID, "client_secret": ClientSecret, "scopes": "read write", "base_url": p.URL + "/api",
	}
}

// Body returns the body of services.set for fields and others in their place.
func Body(fields map[string]string, more ...string) string {
	all := maps.Clone(fields)
	for i := 0; i+1 < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	body, err := json.Marshal(map[string]any{"type": "oauth2", "fields": all})
	if err != nil {
		panic(err) // texts are always encoded
	}
	return string(body)
}

func (p *Provider) issuer() string {
	if p.Issuer != "" {
		return p.Issuer
	}
	return p.URL
}

func (p *Provider) note(r *http.Request) {
	_ = r.ParseForm() // of a form that cannot be read nothing is there
	p.requests = append(p.requests, Request{r.URL.Path, maps.Clone(r.Form)})
}

func (p *Provider) metadata(w http.ResponseWriter, r *http.Request, without bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note(r)
	if p.NoMetadata || without {
		http.NotFound(w, r)
		return
	}
	reply(w, http.StatusOK, map[string]any{
		"issuer": p.issuer(), "authorization_endpoint": p.URL + "/authorize", "token_endpoint": cmp.Or(p.TokenURL, p.URL+"/token"),
		"revocation_endpoint": p.URL + "/revoke", "device_authorization_endpoint": p.URL + "/device", "userinfo_endpoint": p.URL + "/userinfo",
		"jwks_uri":                         p.URL + "/keys",
		"code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
	})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) //nolint:errchkjson // a client that left is no failure
}

func refuse(w http.ResponseWriter, status int, code string) {
	reply(w, status, map[string]string{"error": code, "error_description": "told by the provider"})
}

func random(prefix string) string { return prefix + strings.ToLower(rand.Text()) }
