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

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/dispatcher"
)

// firstRead bounds what a Content-Length alone makes us allocate.
const firstRead = 64 << 10

// hurried gives a body its time to arrive, whether anybody reads it or net/http has
// to throw it away: whoever sends a byte now and then would hold a connection for
// ever.
func (h *handler) hurried(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.BodyTime)) // where there are deadlines
		}
		next.ServeHTTP(w, r)
	})
}

// readBody reads the body of a request. Once it is there, nothing hurries: the
// connection is read only to notice that the client hangs up.
func (h *handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := readJSON(r, h.svc.Limits.Body)
	if err == nil {
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	return body, err
}

// readJSON reads a body of at most limit bytes that is said to be JSON, not said
// to be anything, or said to be a form: that is what curl -d says of any body,
// and it is the Origin check that keeps foreign pages out.
func readJSON(r *http.Request, limit int) ([]byte, error) {
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
	if _, err := body.ReadFrom(io.LimitReader(in, int64(limit)+1)); err != nil {
		return nil, unreadable(err)
	}
	if body.Len() > limit {
		return nil, tooLarge(r, limit)
	}
	return body.Bytes(), nil
}

// decoded is the body without its encoding, which is gzip or none. What a few bytes
// expand to is bounded by who reads; here the bytes are, because they may also
// expand to nothing, for ever.
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
		return nil, withStatus(http.StatusUnsupportedMediaType, "the Content-Encoding %.40q is not read here; send gzip, or the body as it is", coding)
	}
}

// unreadable is the error of a body that ends in err.
func unreadable(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return withStatus(http.StatusRequestTimeout, "the body did not arrive in time; send it again")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return api.BadRequest("the body is said to be gzip and is not")
	}
	return api.BadRequest("the body ended before its end or is not framed as HTTP asks")
}

func withStatus(status int, format string, args ...any) error {
	return &dispatcher.RequestError{Type: "bad_request", Status: status, Msg: fmt.Sprintf(format, args...)}
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

// tooLarge reads on for as long again, because a client that is still sending
// when the connection closes may never see the answer. One that asked first
// (Expect) is answered at once.
func tooLarge(r *http.Request, limit int) error {
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, r.Body, int64(limit))
	}
	return api.TooLarge("the body is larger than %d bytes; split the request", limit)
}
