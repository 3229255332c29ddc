package netguard

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"

	"github.com/helve-dev/helve/tool"
)

// refusal is the guard's refusal of a host, or of one port of it.
type refusal struct {
	host  string
	port  uint16
	cause error
}

func (r *refusal) Error() string {
	if r.port != 0 {
		return fmt.Sprintf("port %d of %s is closed", r.port, r.host)
	}
	return fmt.Sprintf("host %s is refused: %v", r.host, r.cause)
}

// explain converts any error of net/http to an error whose message shows no internal
// address.
func (t *trip) explain(err error) error {
	if e, ok := errors.AsType[*refusal](err); ok {
		return t.denied(e)
	}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		switch {
		case t.redirected && e.Kind == tool.PermissionDenied:
			return tool.Fail(e.Kind, "%s (the server redirected there)", e.Msg).Because(err)
		case t.redirected && e.Kind == tool.ValidationError:
			return tool.Fail(tool.NetworkError, "the server redirected to an address that cannot be followed: %s", e.Msg).Because(err)
		}
		return e
	}
	switch {
	case errors.Is(err, errRedirects):
		return tool.Fail(tool.NetworkError, "the server redirected more than %d times", maxRedirects).Because(err)
	case errors.Is(t.ended(), context.Canceled):
		return tool.Fail(tool.Cancelled, "the HTTP request was cancelled").Because(err)
	case t.ended() != nil:
		return tool.Fail(tool.Timeout, "HTTP request timed out").Because(err)
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return tool.Fail(tool.NetworkError, "Cannot resolve host: %s", t.at.Hostname()).Because(err)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return tool.Fail(tool.Timeout, "HTTP request timed out").Because(err)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return tool.Fail(tool.NetworkError, "Connection refused: %s", t.at.Redacted()).Because(err)
	}
	if reason, ok := tlsReason(err); ok {
		return tool.Fail(tool.NetworkError, "TLS failed with %s: %s", t.at.Host, reason).Because(err)
	}
	return tool.Fail(tool.NetworkError, "HTTP request failed: %s", t.broken(err)).Because(err)
}

func (t *trip) denied(r *refusal) error {
	what := fmt.Sprintf("a blocked internal address (%s)", r.host)
	hint := "only public hosts can be reached unless the operator opens one with --allow-host"
	if r.port != 0 {
		what = fmt.Sprintf("the port of %s (%s port %d)", closedFor(r.port), r.host, r.port)
	}
	switch {
	case t.redirected:
		return tool.Fail(tool.PermissionDenied, "Access denied: the request was redirected to %s; %s", what, hint).Because(r)
	case r.port != 0:
		return tool.Fail(tool.PermissionDenied,
			"Access denied: port %d of %s is blocked, because it is that of %s; use another port, or ask the operator to open it with "+
				"--allow-host %s",
			r.port, r.host, closedFor(r.port), net.JoinHostPort(r.host, strconv.Itoa(int(r.port)))).Because(r)
	}
	return tool.Fail(tool.PermissionDenied, "Access denied: the host %s is a blocked internal address; %s", r.host, hint).Because(r)
}

func tlsReason(err error) (string, bool) {
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return e.Err.Error(), true
	}
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return e.Msg, true
	}
	if e, ok := errors.AsType[tls.AlertError](err); ok {
		return e.Error(), true
	}
	return "", false
}

// broken returns advice about a connection that failed in any other way. The error of
// net/http is for the operator.
func (t *trip) broken(err error) string {
	_, before := errors.AsType[*url.Error](err) // empty while the body is received
	dial, _ := errors.AsType[*net.OpError](err)
	hungUp := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
	format := "what the server at %s answered is not HTTP that can be read; check the address, its port and https or http"
	switch {
	case !before && hungUp:
		format = "the server at %s closed the connection in the middle of its answer; try again"
	case !before:
		format = "the answer of the server at %s is damaged; try again, or inform the operator of the server"
	case errors.Is(err, http.ErrSchemeMismatch):
		format = "the server at %s answered without TLS; use http:// or another port"
	case dial != nil && dial.Op == "dial":
		format = "no connection to %s could be made; check the address, or try again later"
	case hungUp:
		format = "the server at %s closed the connection before it answered; try again, or check the address and https or http"
	}
	return fmt.Sprintf(format, t.at.Host)
}
