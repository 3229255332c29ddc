package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// firstRead bounds the allocation that a Content-Length alone causes.
const firstRead = 16 << 10

// boundBody sets a deadline for a request's body, whether a handler reads it or net/http
// discards it: otherwise a client that sends a byte now and then would hold a
// connection for ever.
func (h *handler) boundBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.BodyTime)) // if the connection supports deadlines
		}
		next.ServeHTTP(w, r)
	})
}

// readBody reads the body of a request. After that there is no deadline: the connection
// is read only to notice that the client disconnects. The body counts against the
// budget until the caller closes the lease, which is nil if err is not.
func (h *handler) readBody(w http.ResponseWriter, r *http.Request, by identity.Principal) (body []byte, paid *lease, err error) {
	if paid, err = h.budget.open(payer(r, by)); err != nil {
		return nil, nil, err
	}
	if body, err = readJSON(r, h.svc.Limits.Body, paid); err != nil {
		paid.close()
		return nil, nil, err
	}
	paid.keep(int64(cap(body)))
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, paid, nil
}

// readJSON reads a body of at most limit bytes whose type is JSON, missing, or a form:
// curl -d declares every body a form, and the Origin check keeps foreign pages out.
func readJSON(r *http.Request, limit int, paid *lease) ([]byte, error) {
	if kind := r.Header.Get("Content-Type"); !isJSON(kind) {
		return nil, api.BadRequest("the Content-Type must be application/json, not %.80q", kind)
	}
	if r.ContentLength > int64(limit) {
		return nil, tooLarge(r, limit)
	}
	in, err := decoded(r, limit)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0)+bytes.MinRead, firstRead)))
	in = metered{Reader: in, lease: paid} // after decompression
	if _, err := body.ReadFrom(io.LimitReader(in, int64(limit)+1)); err != nil {
		return nil, unreadable(err)
	}
	if body.Len() > limit {
		return nil, tooLarge(r, limit)
	}
	return body.Bytes(), nil
}

// decoded returns the decompressed body; the encoding is gzip or none. The caller
// bounds the decompressed size; the compressed size is bounded here, because data may
// also decompress to nothing, for ever.
func decoded(r *http.Request, limit int) (io.Reader, error) {
	switch coding := r.Header.Get("Content-Encoding"); strings.ToLower(coding) {
	case "", "identity":
		return r.Body, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(io.LimitReader(r.Body, int64(limit)+1))
		if err != nil {
			return nil, unreadable(err)
		}
		return z, nil
	default:
		return nil, withStatus(http.StatusUnsupportedMediaType, "the Content-Encoding %.40q is not read here; send gzip, or the body as it is",
			coding)
	}
}

// unreadable returns the error for a body whose reading failed with err.
func unreadable(err error) error {
	if over, ok := errors.AsType[*api.RequestError](err); ok {
		return over
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return withStatus(http.StatusRequestTimeout, "the body did not arrive in time; send it again")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return api.BadRequest("the body is said to be gzip and is not")
	}
	return api.BadRequest("the body ended before its end or is not framed as HTTP asks")
}

func withStatus(status int, format string, args ...any) error {
	return &api.RequestError{Type: "bad_request", Status: status, Msg: fmt.Sprintf(format, args...)}
}

func isJSON(contentType string) bool {
	if contentType == "" || contentType == "application/json" {
		return true
	}
	if contentType == "application/x-www-form-urlencoded" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}

// tooLarge reads up to limit more bytes, because a client that is still sending when
// the connection closes may never see the answer. A client that sent Expect is answered
// immediately.
func tooLarge(r *http.Request, limit int) error {
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, int64(limit))
	}
	return api.TooLarge("the body is larger than %d bytes; split the request", limit)
}
