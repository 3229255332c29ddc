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

// worth is from where an answer is compressed: below, it costs more than it saves.
const worth = 4 << 10

// compressors are kept, because each holds some hundred kilobytes.
var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, flate.BestSpeed) // fails only for a level there is not
	return w
}}

// send answers with a JSON value of so many bytes, in pieces, and compressed where
// that pays and the client takes it.
func (h *handler) send(w http.ResponseWriter, r *http.Request, value io.Reader, size int64) error {
	squeeze := false
	if size >= worth {
		w.Header().Add("Vary", "Accept-Encoding")
		squeeze = takesGzip(r.Header.Values("Accept-Encoding"))
	}
	if squeeze {
		w.Header().Set("Content-Encoding", "gzip")
		size = -1 // nobody knows
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

// plain copies as it is; it hides everything but Read, so that io.Copy goes piece
// by piece.
func plain(out io.Writer, value io.Reader) error {
	_, err := io.Copy(out, struct{ io.Reader }{value})
	return err
}

func compress(out io.Writer, value io.Reader) error {
	z, _ := compressors.Get().(*gzip.Writer) // its New makes nothing else
	defer compressors.Put(z)
	z.Reset(out)
	defer z.Reset(io.Discard) // the pool must not hold on to a connection
	if err := plain(z, value); err != nil {
		return err
	}
	return z.Close()
}

// takesGzip reports whether an Accept-Encoding asks for gzip: by name, or by * where
// the name is not there, with a quality above 0.
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

// quality is the q of a coding's parameters, 1 if there is none; one that is no
// number is 0.
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
