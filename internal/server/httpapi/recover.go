package httpapi

import (
	"net/http"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/telemetry"
)

// recovering answers for a handler that panics. If the answer has begun, it cuts the
// connection, so that the answer does not look complete.
func (h *handler) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := &firstByte{ResponseWriter: w, operation: "other", status: http.StatusOK}
		defer func() {
			h.Answered(begun.operation, begun.status)
			begun.span.End(begun.status)
		}()
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

// firstByte records whether anything was sent, the status of the answer, and the operation
// that was requested.
type firstByte struct {
	http.ResponseWriter

	written   bool
	status    int
	operation string
	span      *telemetry.RequestSpan // nil for none
}

// name records the operation that a request is for.
func name(w http.ResponseWriter, operation string) {
	if first := firstOf(w); first != nil {
		first.operation = operation
	}
}

// endWith has the span of a request end with its answer.
func endWith(w http.ResponseWriter, span *telemetry.RequestSpan) {
	if span == nil {
		return
	}
	if first := firstOf(w); first != nil {
		first.span = span
	}
}

// firstOf returns the writer that recovering has put around w's innermost one.
func firstOf(w http.ResponseWriter) *firstByte {
	for {
		switch outer := w.(type) {
		case *firstByte:
			return outer
		case interface{ Unwrap() http.ResponseWriter }:
			w = outer.Unwrap()
		default:
			return nil
		}
	}
}

// WriteHeader records and forwards the call.
func (w *firstByte) WriteHeader(status int) {
	if !w.written {
		w.status = status
	}
	w.written = true
	w.ResponseWriter.WriteHeader(status)
}

// Write records and forwards the call.
func (w *firstByte) Write(p []byte) (int, error) {
	w.written = true
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *firstByte) Unwrap() http.ResponseWriter { return w.ResponseWriter }
