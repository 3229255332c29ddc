package identity

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"
)

// maxCredential bounds a credential, in bytes.
const maxCredential = 16 << 10

// Options configure the accepted credentials. The zero value accepts none.
type Options struct {
	// KeysFile is a YAML list of API keys, each an [Entry].
	KeysFile string
	// Issuer is the URL of an OpenID Connect issuer, Audience the audience that its
	// tokens must have.
	Issuer, Audience string
	// TenantClaim, UserClaim and RolesClaim name the claims of its tokens: a name, or a
	// path of names separated by dots.
	TenantClaim, UserClaim, RolesClaim string
	// HTTP sends requests to the issuer; nil is a client that follows no redirects.
	HTTP *http.Client
	// Refused, if set, is called for each change of KeysFile that cannot be used.
	Refused func()
	// Log receives messages for the operator; nil discards them.
	Log *zap.Logger
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Authenticator identifies callers. It is safe for concurrent use.
type Authenticator struct {
	keys   *keys
	tokens *tokens
	now    func() time.Time
}

// New reads the keys and follows their file until ctx ends. A key file that cannot be
// read is an error; an issuer that cannot be reached is not: it is queried when a token
// arrives.
func New(ctx context.Context, o Options) (*Authenticator, error) {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Refused == nil {
		o.Refused = func() {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.HTTP == nil {
		o.HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	a := &Authenticator{now: o.Now}
	if o.Issuer != "" {
		if o.Audience == "" || o.TenantClaim == "" || o.UserClaim == "" || o.RolesClaim == "" {
			return nil, errors.New("auth.issuer needs auth.audience and the claims: without them every token of the issuer would do")
		}
		if !strings.HasPrefix(o.Issuer, "https://") {
			o.Log.Warn("auth.issuer is not https://: an attacker on the network path can forge tokens", zap.String("issuer", o.Issuer))
		}
		a.tokens = &tokens{
			issuer:   &issuer{life: ctx, url: o.Issuer, http: o.HTTP, log: o.Log, now: o.Now},
			audience: o.Audience, tenant: o.TenantClaim, user: o.UserClaim, roles: o.RolesClaim,
		}
	}
	if o.KeysFile != "" {
		var err error
		if a.keys, err = openKeys(ctx, o.KeysFile, o.Log, o.Refused); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Accepts reports which kinds of credentials are configured.
func (a *Authenticator) Accepts() (keys, tokens bool) {
	return a != nil && a.keys != nil, a != nil && a.tokens != nil
}

// On reports whether any kind of credential is configured. A nil Authenticator is off.
func (a *Authenticator) On() bool { return a != nil && (a.keys != nil || a.tokens != nil) }

// Identify returns the sender of a request with this Authorization header. Its error is
// a [*Failure].
func (a *Authenticator) Identify(ctx context.Context, authorization string) (Principal, error) {
	scheme, credential, _ := strings.Cut(authorization, " ")
	credential = strings.TrimSpace(credential)
	isKey := strings.HasPrefix(credential, keyMark)
	switch {
	case authorization == "":
		return Principal{},
			unauthenticated("this server requires authentication: send the header Authorization: Bearer with an API key or a token")
	case !strings.EqualFold(scheme, "Bearer") || credential == "" || len(credential) > maxCredential:
		return Principal{}, unauthenticated("the Authorization header must be Bearer and an API key or a token of at most %d bytes",
			maxCredential)
	case isKey && a.keys != nil:
		return a.keys.identify(credential, a.now())
	case !isKey && a.tokens != nil:
		return a.tokens.identify(ctx, credential, a.now())
	}
	return Principal{}, unauthenticated("this server takes no credential of that kind; ask an administrator for another")
}
