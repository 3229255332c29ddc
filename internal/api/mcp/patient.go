package mcp

import (
	"net/http"
	"time"
)

// patient is an answer each part of which has a time to be taken in: a client that
// reads slowly is waited for, one that does not read is not.
type patient struct {
	http.ResponseWriter

	control  *http.ResponseController
	patience time.Duration
	sent     int
}

// mostAtOnce is the part of an answer that has one time. An answer that is not larger
// has none: it fits into what the system holds for a client.
const mostAtOnce = 64 << 10

// Write sends p in parts.
func (w *patient) Write(p []byte) (n int, err error) {
	if w.sent += len(p); w.sent <= mostAtOnce {
		return w.ResponseWriter.Write(p)
	}
	for len(p) > n && err == nil {
		_ = w.control.SetWriteDeadline(time.Now().Add(w.patience)) // where there are deadlines
		var sent int
		sent, err = w.ResponseWriter.Write(p[n:min(len(p), n+mostAtOnce)])
		n += sent
	}
	return n, err
}

// Unwrap lets http.ResponseController find what it needs.
func (w *patient) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// end gives the next request on the connection its own time.
func (w *patient) end() {
	if w.sent > mostAtOnce && w.control.Flush() == nil {
		_ = w.control.SetWriteDeadline(time.Time{})
	}
}
