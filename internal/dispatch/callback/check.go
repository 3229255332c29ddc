package callback

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
)

// Bounds of a callback.
const (
	maxURL         = 2048
	maxHeaders     = 20
	maxHeaderBytes = 8 << 10
)

// Check returns why a request with a callback is refused, a sentence for its sender without
// anything secret.
func (s *Service) Check(ctx context.Context, to *protocol.Callback) error {
	if len(s.Hosts) == 0 {
		return errors.New("callbacks are not configured: the operator lists the hosts that may receive them in callbacks.allowed_hosts")
	}
	u, err := parse(to.URL)
	if err != nil {
		return err
	}
	if !s.allows(u) {
		return fmt.Errorf(
			"callback.url: the host %.100q is not among callbacks.allowed_hosts, which the operator sets; a port counts as it is written", u.Host,
		)
	}
	if err := checkHeaders(to.Headers); err != nil {
		return err
	}
	if len(to.Headers) == 0 {
		return nil
	}
	switch _, err := s.Keys.Current(ctx); {
	case errors.Is(err, vault.ErrNoKey):
		return errors.New("callback.headers cannot be stored encrypted, because the dispatcher has no master key: " +
			"the operator gives it --secrets-key FILE (`helve config key` makes a key); without headers the callback is accepted")
	case err != nil:
		return errors.New("callback.headers cannot be stored encrypted now, because the master key cannot be read; " +
			"the operator looks at the dispatcher's log")
	}
	return nil
}

// allows reports whether the operator lists the host of a URL, as it is written there.
func (s *Service) allows(u *url.URL) bool { return slices.Contains(s.Hosts, u.Host) }

// parse returns the URL of a callback, or why it is none. No error shows more of it than
// its scheme.
func parse(text string) (*url.URL, error) {
	switch {
	case text == "":
		return nil, errors.New("callback.url is missing")
	case len(text) > maxURL:
		return nil, fmt.Errorf("callback.url has %d bytes; at most %d are possible", len(text), maxURL)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return nil, errors.New("callback.url has a space or a character that is not printable ASCII; encode it with %")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("callback.url is not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("callback.url must begin with http:// or https://")
	case u.User != nil:
		return nil, errors.New("callback.url must not have a user name or password; send an Authorization header in callback.headers")
	case strings.Contains(text, "#"):
		return nil, errors.New("callback.url must not have a fragment")
	case u.Hostname() == "" || u.Opaque != "":
		return nil, errors.New("callback.url names no host")
	}
	return u, nil
}

// reserved are the headers that follow from the request itself or from the connection, and
// the beginnings of such.
var (
	reserved = []string{
		"Accept-Encoding", "Connection", "Date", "Expect", "Host", "Keep-Alive", "Te", "Trailer", "Upgrade", "Via",
	}
	reservedPrefixes = []string{"Content-", "Helve-", "Proxy-", "Transfer-"}
)

// checkHeaders returns why headers are refused. It never shows a value.
func checkHeaders(headers map[string]string) error {
	if len(headers) > maxHeaders {
		return fmt.Errorf("callback.headers has %d headers; at most %d are possible", len(headers), maxHeaders)
	}
	size := 0
	seen := map[string]bool{}
	for name, value := range headers {
		size += len(name) + len(value)
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			return fmt.Errorf("callback.headers: %.40q is not the name of a header", name)
		case slices.Contains(reserved, canonical) ||
			slices.ContainsFunc(reservedPrefixes, func(p string) bool { return strings.HasPrefix(canonical, p) }):
			return fmt.Errorf("callback.headers: the header %.40q is reserved; leave it out", name)
		case seen[canonical]:
			return fmt.Errorf("callback.headers has the header %.40q twice", canonical)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f }):
			return fmt.Errorf("callback.headers: the value of %.40q has a line break or a character that is not printable ASCII", name)
		}
		seen[canonical] = true
	}
	if size > maxHeaderBytes {
		return fmt.Errorf("callback.headers has %d bytes; at most %d are possible", size, maxHeaderBytes)
	}
	return nil
}
