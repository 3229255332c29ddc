package httpapi

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/api"
)

// firstRead bounds what a Content-Length alone makes us allocate.
const firstRead = 64 << 10

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
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0)+bytes.MinRead, firstRead)))
	if _, err := body.ReadFrom(io.LimitReader(r.Body, int64(limit)+1)); err != nil {
		return nil, api.BadRequest("the body ended before its end or is not framed as HTTP asks")
	}
	if body.Len() > limit {
		return nil, tooLarge(r, limit)
	}
	return body.Bytes(), nil
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
