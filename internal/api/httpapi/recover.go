package httpapi

import (
	"net/http"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/api"
)

// recovering answers for a handler that panics. If the answer has begun, all
// that is left is to cut the connection, so that it does not look complete.
func (h *handler) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := &firstByte{ResponseWriter: w}
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				panic(v)
			}
			h.Log.Error("a request crashed", zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.Any("panic", v), zap.Stack("stack"))
			if begun.written {
				panic(http.ErrAbortHandler)
			}
			writeProblem(w, api.Crashed())
		}()
		next.ServeHTTP(begun, r)
	})
}

// firstByte notes whether anything was sent.
type firstByte struct {
	http.ResponseWriter

	written bool
}

// WriteHeader notes and passes on.
func (w *firstByte) WriteHeader(status int) {
	w.written = true
	w.ResponseWriter.WriteHeader(status)
}

// Write notes and passes on.
func (w *firstByte) Write(p []byte) (int, error) {
	w.written = true
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController find what it needs.
func (w *firstByte) Unwrap() http.ResponseWriter { return w.ResponseWriter }
