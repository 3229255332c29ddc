package oauth

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/helve-dev/helve/tool"
)

// Provider is a provider with Helve's registration there.
type Provider struct {
	// Title is its name for people.
	Title string
	// Issuer identifies it; empty if that is not known. AnswersIssuer is set if its answers
	// always name it.
	Issuer        string
	AnswersIssuer bool
	// The addresses; Revocation, Device and UserInfo may be empty.
	Authorization, Token, Revocation, Device, UserInfo string
	ClientID, Secret                                   string
	Scopes                                             []string
	// Params are further parameters of the authorization request.
	Params url.Values
	// TokenAuth is the way in which Helve authenticates at Token: [Basic], [Post], or empty if the
	// provider has not said it.
	TokenAuth string
	// HTTP makes the requests, and follows no redirect.
	HTTP *http.Client
}

// The ways of authentication at a token endpoint: in a header, or in the body.
const (
	Basic = "basic"
	Post  = "post"
)

// Token holds the tokens that a provider has issued.
type Token struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh"`
	// Type is the type of the access token, Scopes what it is for.
	Type   string `json:"type"`
	Scopes string `json:"scopes"`
	// Expires is when it ends by this machine's clock, and Life the time until then; both
	// are zero if the provider has not said it.
	Expires time.Time     `json:"expires"`
	Life    time.Duration `json:"life"`
	// TokenAuth is the way of authentication that the provider has accepted.
	TokenAuth string `json:"token_auth"`
	// ID is the ID token of OpenID Connect, unread; empty if there is none.
	ID string `json:"-"`
}

// Private reports whether nobody else reads what is sent to an address: it is https, or on
// this machine.
func Private(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Reserved returns a parameter that only Helve itself may set in an authorization request,
// if there is one: neither a setting nor metadata may have it. A provider that gets it twice
// could use the other one, and a challenge of somebody else would undo PKCE.
func Reserved(query url.Values) string {
	for _, name := range []string{
		"response_type", "client_id", "redirect_uri", "state", "scope", "code_challenge", "code_challenge_method", "nonce", "request",
		"request_uri", "response_mode",
	} {
		if query.Has(name) {
			return name
		}
	}
	return ""
}

// NewVerifier returns a random verifier for one authorization request (RFC 7636).
func NewVerifier() string { return oauth2.GenerateVerifier() }

// AuthorizationURL returns the address at which a person agrees. The provider then sends
// their browser to redirect, with the state.
func (p *Provider) AuthorizationURL(state, verifier, redirect string) string {
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	for name, values := range p.Params {
		options = append(options, oauth2.SetAuthURLParam(name, strings.Join(values, " ")))
	}
	return p.config(redirect, p.TokenAuth).AuthCodeURL(state, options...)
}

// CheckIssuer checks the parameter iss of an answer, so that the code of one provider is not
// sent to another one (RFC 9207). A provider whose issuer is not known must at least answer
// with an issuer on the host of its own page.
func (p *Provider) CheckIssuer(iss string) error {
	switch {
	case iss == "" && p.AnswersIssuer:
		return tool.Fail(tool.PermissionDenied, "the answer does not name its issuer (iss), which %s always does; nothing was connected", p.Title)
	case iss == "", iss == p.Issuer:
		return nil
	case p.Issuer == "" && sameHost(iss, p.Authorization):
		return nil
	}
	return tool.Fail(tool.PermissionDenied, "the answer is of another issuer than %s; nothing was connected", p.Title)
}

func sameHost(a, b string) bool {
	u, err := url.Parse(a)
	if err != nil || u.Host == "" {
		return false
	}
	v, err := url.Parse(b)
	return err == nil && u.Scheme == v.Scheme && strings.EqualFold(u.Host, v.Host)
}

// config returns the provider in the form of the library.
func (p *Provider) config(redirect, auth string) *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if auth == Post || p.Secret == "" { // a client without a secret only names itself
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.Secret, Scopes: p.Scopes, RedirectURL: redirect,
		Endpoint: oauth2.Endpoint{AuthURL: p.Authorization, TokenURL: p.Token, DeviceAuthURL: p.Device, AuthStyle: style},
	}
}

func (p *Provider) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, p.HTTP)
}
