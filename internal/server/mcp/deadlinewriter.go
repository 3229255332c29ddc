package mcp

import (
	"net/http"
	"time"
)

// deadlineWriter is a response writer that gives each part of an answer its own deadline: a
// slow client is served, a client that does not read is disconnected.
type deadlineWriter struct {
	http.ResponseWriter

	control  *http.ResponseController
	patience time.Duration
	sent     int
}

// mostAtOnce is the size of a part with one deadline. A smaller answer needs none: it
// fits into the system's send buffer.
const mostAtOnce = 64 << 10

// Write sends p in parts.
func (w *deadlineWriter) Write(p []byte) (n int, err error) {
	if w.sent += len(p); w.sent <= mostAtOnce {
		return w.ResponseWriter.Write(p)
	}
	for len(p) > n && err == nil {
		_ = w.control.SetWriteDeadline(time.Now().Add(w.patience)) // if the connection supports deadlines
		var sent int
		sent, err = w.ResponseWriter.Write(p[n:min(len(p), n+mostAtOnce)])
		n += sent
	}
	return n, err
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// end clears the deadline for the next request on the connection.
func (w *deadlineWriter) end() {
	if w.sent > mostAtOnce && w.control.Flush() == nil {
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}
