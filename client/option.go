package client

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Option changes how [New] makes a client.
type Option func(*settings)

type settings struct {
	tenant, prefix     string
	token              string
	who                Context
	httpClient         *http.Client
	creds, natsContext string
	tls                *tls.Config
	retry              bool
}

// WithTenant names the tenant. Without it, that is the tenant of the token, or
// "default" where there is no token.
func WithTenant(tenant string) Option { return func(s *settings) { s.tenant = tenant } }

// WithContext says on whose behalf requests are made that do not say it
// themselves, field by field.
func WithContext(who Context) Option { return func(s *settings) { s.who = who } }

// WithToken presents an API key or a bearer token of the identity provider, over
// HTTP; NATS has credentials of its own.
func WithToken(token string) Option { return func(s *settings) { s.token = token } }

// WithHTTPClient sends HTTP requests through hc, whose Timeout should be 0:
// requests end with their context, and an execute may wait long for its calls.
func WithHTTPClient(hc *http.Client) Option { return func(s *settings) { s.httpClient = hc } }

// WithCredentials presents the NATS credentials in file.
func WithCredentials(file string) Option { return func(s *settings) { s.creds = file } }

// WithNATSContext connects to the servers, and with the credentials, of a
// context of the NATS command line, by name or absolute path.
func WithNATSContext(name string) Option { return func(s *settings) { s.natsContext = name } }

// WithTLS sets how TLS connections are made: certificate authorities, client
// certificates, the server's name.
func WithTLS(config *tls.Config) Option { return func(s *settings) { s.tls = config } }

// WithPrefix sets what all subjects begin with on NATS; it is "helve.v1"
// otherwise.
func WithPrefix(prefix string) Option { return func(s *settings) { s.prefix = prefix } }

// WithRetry sends a request again, until its ctx ends, when the server is
// overloaded or not ready or the connection is lost; the calls' last answer is
// returned then, or else why there is none. That is safe: the client
// itself makes the call_id of each call that has none, a call_id never runs
// twice, and a call sent again is joined where it stands. Pauses grow from 0.1 s
// to 5 s, vary by half and are never shorter than the server asks. A server
// that falls silent in the middle of a long wait is noticed within 15 s.
func WithRetry() Option { return func(s *settings) { s.retry = true } }

// check reports all that is wrong with the options for a scheme.
func (s *settings) check(scheme string) error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(s.tenant != "" && !namePattern.MatchString(s.tenant), "tenant %.80q must have 1 to 64 letters, digits, underscores and hyphens", s.tenant)
	bad(!validPrefix(s.prefix), "prefix %.80q must be NATS subject tokens without wildcards, like helve.v1", s.prefix)
	if scheme == "http" {
		bad(s.creds != "", "NATS credentials are of no use with an http URL")
		bad(strings.ContainsFunc(s.token, notInToken), "the token must be one word of visible ASCII characters, without \"Bearer\"")
	} else {
		bad(s.token != "", "a token is of no use with NATS; give a credentials file or a NATS context")
		bad(s.httpClient != nil, "an HTTP client is of no use with NATS")
	}
	bad(s.httpClient != nil && s.tls != nil, "set TLS in the HTTP client that you give")
	return errors.Join(errs...)
}

func validPrefix(prefix string) bool {
	for token := range strings.SplitSeq(prefix, ".") {
		if token == "" || strings.ContainsAny(token, " \t\r\n*>") {
			return false
		}
	}
	return true
}

// notInToken keeps a token from being more than one word of a header.
func notInToken(r rune) bool { return r <= ' ' || r > '~' }
