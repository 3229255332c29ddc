package client

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Option is an option of [New].
type Option func(*settings)

type settings struct {
	tenant, prefix     string
	token              string
	who                Context
	httpClient         *http.Client
	creds, natsContext string
	tls                *tls.Config
	retry              bool
	retryFor           time.Duration
}

// WithTenant sets the tenant. The default is the tenant of the token, or "default"
// without a token.
func WithTenant(tenant string) Option { return func(s *settings) { s.tenant = tenant } }

// WithContext sets the default Context of requests, field by field.
func WithContext(who Context) Option { return func(s *settings) { s.who = who } }

// WithToken sends an API key or a bearer token of the identity provider. Over NATS it
// is a header of each request, in addition to the credentials of the connection.
func WithToken(token string) Option { return func(s *settings) { s.token = token } }

// WithHTTPClient sends HTTP requests through hc, whose Timeout should be 0: requests
// end with their context, and an execute may wait long for its calls.
func WithHTTPClient(hc *http.Client) Option { return func(s *settings) { s.httpClient = hc } }

// WithCredentials uses the NATS credentials in file.
func WithCredentials(file string) Option { return func(s *settings) { s.creds = file } }

// WithNATSContext uses the servers and credentials of a context of the NATS command
// line, by name or absolute path.
func WithNATSContext(name string) Option { return func(s *settings) { s.natsContext = name } }

// WithTLS configures TLS connections: certificate authorities, client certificates,
// server name.
// certificates, the server's name.
func WithTLS(config *tls.Config) Option { return func(s *settings) { s.tls = config } }

// WithPrefix sets the prefix of all NATS subjects; the default is "helve.v1".
func WithPrefix(prefix string) Option { return func(s *settings) { s.prefix = prefix } }

// WithRetry repeats a request, until its ctx ends, if the server is overloaded or not
// ready or the connection is lost; when ctx ends, the last answer of the calls is
// returned, or the last error. That is safe: the client makes the call_id of each call
// that has none, a call_id never runs twice, and a repeated call is attached to the
// running one. Pauses grow from 0.1 s to 5 s, vary by half and are never shorter than
// the server requests. A server that stops answering in the middle of a long wait is
// noticed within 3 s for the first request of a call, and 7 s for later ones.
func WithRetry() Option { return func(s *settings) { s.retry = true } }

// WithRetryFor is [WithRetry] for interactive programs: a request fails with its last
// error once the server has not answered it for d, plus the attempt in progress.
func WithRetryFor(d time.Duration) Option {
	return func(s *settings) { s.retry, s.retryFor = true, d }
}

// check reports everything that is wrong with the options for a scheme.
func (s *settings) check(scheme string) error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(s.tenant != "" && !namePattern.MatchString(s.tenant), "tenant %.80q must have 1 to 64 letters, digits, underscores and hyphens",
		s.tenant)
	bad(!validPrefix(s.prefix), "prefix %.80q must be NATS subject tokens without wildcards, like helve.v1", s.prefix)
	bad(strings.ContainsFunc(s.token, notInToken), "the token must be one word of visible ASCII characters, without \"Bearer\"")
	if scheme == "http" {
		bad(s.creds != "", "NATS credentials are of no use with an http URL")
	} else {
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

// notInToken lists characters that a token must not contain, so that it stays one word
// of a header.
func notInToken(r rune) bool { return r <= ' ' || r > '~' }
