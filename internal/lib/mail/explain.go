package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/redact"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// shownReply bounds the part of a server's reply that is shown, in characters.
const shownReply = 200

// Clean returns a text of the server on one line, cut, and without the secret.
func (s *Server) Clean(reply string) string {
	reply = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s.hidden().Text(reply), "�"))
	return textcut.Excerpt(strings.Join(strings.Fields(reply), " "), shownReply)
}

// hidden returns what no text may show: the server's replies repeat some of it.
func (s *Server) hidden() *redact.Secrets {
	all := new(redact.Secrets)
	all.Add(map[string]string{"user": s.User, "password": s.password})
	all.Add(s.data)
	return all
}

// Quiet returns an error of the server whose text has no secret.
func (s *Server) Quiet(err error) error { return s.hidden().Error(err) }

// Senseless returns the error for an answer of the server that cannot be used.
func (s *Server) Senseless(cause error) *tool.Error {
	return tool.Fail(tool.ExecutionError,
		"the answer of %s makes no sense; check that it is a server for %s and that its port and tls are right",
		s.Address(), strings.ToUpper(s.Service)).Because(s.Quiet(cause))
}

// unreachable returns the error for a connection that was not made.
func (s *Server) unreachable(err error) error {
	e := tool.AsError(err)
	dns, _ := errors.AsType[*net.DNSError](err)
	switch {
	case e.Kind == tool.Timeout:
		return tool.Fail(tool.Timeout, "%s did not accept a connection in time; check host and port of the service %q",
			s.Address(), s.Service).Because(s.Quiet(err))
	case e.Kind != tool.NetworkError:
		return e
	case dns != nil:
		return tool.Fail(tool.NetworkError, "Cannot resolve host: %s", s.Host).Because(s.Quiet(err))
	case errors.Is(err, syscall.ECONNREFUSED):
		return tool.Fail(tool.NetworkError, "Connection refused: %s; check host and port of the service %q",
			s.Address(), s.Service).Because(s.Quiet(err))
	}
	return tool.Fail(tool.NetworkError, "no connection to %s could be made; check host and port of the service %q, or try again later",
		s.Address(), s.Service).Because(s.Quiet(err))
}

// Explain returns a failure on the connection as an error with a kind. An error that already
// has a kind stays.
func (c *Conn) Explain(err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	s := c.server
	cause := c.Failure()
	if cause == nil {
		cause = err
	}
	network, _ := errors.AsType[net.Error](cause)
	switch {
	case errors.Is(c.ctx.Err(), context.Canceled):
		return tool.Fail(tool.Cancelled, "the connection to %s was cancelled", s.Address()).Because(s.Quiet(err))
	case c.ctx.Err() != nil, network != nil && network.Timeout():
		return tool.Fail(tool.Timeout, "%s did not answer in time", s.Address()).Because(s.Quiet(err))
	case errors.Is(cause, errTooMuch):
		return tool.Fail(tool.ExecutionError, "%s sent more than can be taken", s.Address()).Because(s.Quiet(err))
	}
	if reason, bad := certificate(err); bad {
		return tool.Fail(tool.NetworkError,
			"the certificate of %s is not valid: %s; if its authority is your own, set its certificate: helve config set %s --from-file ca=FILE.pem",
			s.Address(), reason, s.Service).Because(s.Quiet(err))
	}
	if reason, bad := handshake(err); bad {
		return tool.Fail(tool.NetworkError, "TLS failed with %s: %s; check port and tls (tls or starttls) of the service %q",
			s.Address(), reason, s.Service).Because(s.Quiet(err))
	}
	if hungUp(cause) {
		return tool.Fail(tool.NetworkError, "%s closed the connection; try again, or check port and tls of the service %q",
			s.Address(), s.Service).Because(s.Quiet(err))
	}
	return s.Senseless(err)
}

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// certificate returns the reason if a certificate was refused.
func certificate(err error) (string, bool) {
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return e.Err.Error(), true
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return e.Error(), true
	}
	return "", false
}

// handshake returns the reason if TLS could not be made.
func handshake(err error) (string, bool) {
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return e.Msg, true
	}
	if e, ok := errors.AsType[tls.AlertError](err); ok {
		return e.Error(), true
	}
	if text := err.Error(); strings.HasPrefix(text, "tls: ") {
		return strings.TrimPrefix(text, "tls: "), true
	}
	return "", false
}
