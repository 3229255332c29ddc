package signin

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// Options configure a [Service].
type Options struct {
	Auth *identity.Authenticator
	// Bucket holds the sessions.
	Bucket *natsio.Bucket
	// Idle is the time without a request after which a session ends, Life the time after
	// which it ends in any case.
	Idle, Life time.Duration
	// Issuer is the issuer at which people sign in; nil for API keys only.
	Issuer *Issuer
	// Record writes the begin and the end of a session to the audit trail.
	Record func(ctx context.Context, by identity.Principal, e Event) error
	Log    *zap.Logger
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Issuer is an OpenID Connect issuer with Helve's registration there.
type Issuer struct {
	// URL names the issuer, as its tokens do.
	URL string
	// ClientID and Secret are Helve's registration. A public client has no secret.
	ClientID, Secret string
	Scopes           []string
	// Redirect is where the issuer sends browsers.
	Redirect string
	// HTTP sends requests to the issuer.
	HTTP *http.Client
}

// Event is the begin or the end of a session.
type Event struct {
	// Begins is set at the begin.
	Begins bool
	// Way is the way of signing in: "API key" or "issuer".
	Way string
}

// The ways of signing in, as events name them.
const (
	byKey    = "API key"
	byIssuer = "issuer"
)

// Service signs people in. It is safe for concurrent use.
type Service struct {
	Options

	metadata metadata
	// exchanges bounds the requests for tokens at a time.
	exchanges chan struct{}
}

// maxExchanges is the number of answers of the issuer that are exchanged at a time.
const maxExchanges = 16

// New returns a service. It reads nothing yet: an issuer that is away stops nobody who has
// an API key.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return &Service{Options: o, exchanges: make(chan struct{}, maxExchanges)}
}

// Ways returns the ways in which people can sign in. A nil Service has none.
func (s *Service) Ways() protocol.SignIn {
	if s == nil {
		return protocol.SignIn{}
	}
	keys, tokens := s.Auth.Accepts()
	return protocol.SignIn{OIDC: tokens && s.Issuer != nil, Key: keys}
}

// WithKey begins a session of the pages with a secret, with an API key. The error for a key that is not valid is an
// [*identity.Failure].
func (s *Service) WithKey(ctx context.Context, key, page string) (Session, error) {
	ref, by, err := s.Auth.Key(key)
	if err != nil {
		return Session{}, err
	}
	return s.begin(ctx, by, record{Key: &ref}, page, byKey)
}
