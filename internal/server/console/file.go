package console

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// kinds are the media types of the files. Those of the host would depend on it.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
}

const (
	forever    = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// file is a file of the console.
type file struct {
	body             []byte
	kind, tag, cache string
	// packed returns the compressed body, made at its first use: most processes serve no
	// browser.
	packed func() []byte
}

func newFile(body []byte, kind string, hashed bool) *file {
	sum := sha256.Sum256(body)
	f := &file{body: body, kind: kind, cache: revalidate}
	// A weak tag, because it is also sent with the compressed bytes.
	f.tag = `W/"` + hex.EncodeToString(sum[:12]) + `"`
	if hashed {
		f.cache = forever
	}
	f.packed = sync.OnceValue(func() []byte { return pack(body) })
	return f
}

// pack compresses a body as far as gzip can.
func pack(body []byte) []byte {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
	return packed.Bytes()
}

// takesGzip reports whether an Accept-Encoding names gzip and does not exclude it, as all
// browsers do.
func takesGzip(accept string) bool {
	for coding := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q := strings.ReplaceAll(params, " ", "")
			return q != "q=0" && strings.TrimRight(q, "0") != "q=0."
		}
	}
	return false
}
