package httpapi

import (
	"compress/flate"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// worth is the size from which an answer is compressed: below, it costs more than it
// saves.
const worth = 4 << 10

// compressors are pooled, because each holds some hundred kilobytes.
var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, flate.BestSpeed) // fails only for an invalid level
	return w
}}

// send sends a JSON value of size bytes in pieces, compressed if that is worthwhile and
// the client accepts it.
func (h *handler) send(w http.ResponseWriter, r *http.Request, value io.Reader, size int64) error {
	squeeze := false
	if size >= worth {
		w.Header().Add("Vary", "Accept-Encoding")
		squeeze = takesGzip(r.Header.Values("Accept-Encoding"))
	}
	if squeeze {
		w.Header().Set("Content-Encoding", "gzip")
		size = -1 // unknown
	}
	writeHead(w, http.StatusOK, jsonType, size)
	if r.Method == http.MethodHead {
		return nil
	}
	if squeeze {
		return h.copy(w, value, compress)
	}
	return h.copy(w, value, plain)
}

// plain copies without compression; it hides everything but Read, so that io.Copy goes
// piece by piece.
func plain(out io.Writer, value io.Reader) error {
	_, err := io.Copy(out, struct{ io.Reader }{value})
	return err
}

func compress(out io.Writer, value io.Reader) error {
	z, _ := compressors.Get().(*gzip.Writer) // New makes nothing else
	defer compressors.Put(z)
	z.Reset(out)
	defer z.Reset(io.Discard) // the pool must not retain a connection
	if err := plain(z, value); err != nil {
		return err
	}
	return z.Close()
}

// takesGzip reports whether an Accept-Encoding accepts gzip: by name, or by * if the
// name is missing, with a quality above 0.
func takesGzip(header []string) bool {
	others := false
	for entry := range strings.SplitSeq(strings.Join(header, ","), ",") {
		coding, params, _ := strings.Cut(entry, ";")
		wanted := quality(params) > 0
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return wanted
		case "*":
			others = wanted
		}
	}
	return others
}

// quality returns the q of a coding's parameters, 1 if there is none, 0 if it is not a
// number.
func quality(params string) float64 {
	name, value, given := strings.Cut(params, "=")
	if !given || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return 0
	}
	return q
}
