package httpapi

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/server/api"
)

const jsonType = "application/json"

// answer sends an operation's reply. It does not modify body, because others may hold
// it.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	if len(body) < worth {
		writeJSON(w, http.StatusOK, jsonType, body)
		return
	}
	_ = h.send(w, r, io.MultiReader(bytes.NewReader(body), strings.NewReader("\n")), int64(len(body)+1)) // a client that left is no failure
}

// writeJSON sends a small JSON value and a line break.
func writeJSON(w http.ResponseWriter, status int, contentType string, body []byte) {
	writeHead(w, status, contentType, int64(len(body)+1))
	if _, err := w.Write(body); err == nil { //nolint:gosec // it is JSON, and its Content-Type says so
		_, _ = io.WriteString(w, "\n")
	}
}

// writePlain sends a small answer that is not JSON, byte for byte.
func writePlain(w http.ResponseWriter, reply api.Reply) {
	writeHead(w, http.StatusOK, reply.ContentType, int64(len(reply.Plain)))
	_, _ = w.Write(reply.Plain) // a client that left is no failure
}

// writeHead sends the headers of an answer; a negative length means unknown.
func writeHead(w http.ResponseWriter, status int, contentType string, length int64) {
	head := w.Header()
	head.Set("Content-Type", contentType)
	if head.Get("Cache-Control") == "" {
		head.Set("Cache-Control", "no-store")
	}
	head.Set("X-Content-Type-Options", "nosniff")
	if length >= 0 {
		head.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	w.WriteHeader(status)
}

// copy sends value in pieces, each with its own deadline, so that the size of an answer
// does not matter and a stuck client is noticed.
func (h *handler) copy(w http.ResponseWriter, value io.Reader, how func(io.Writer, io.Reader) error) error {
	out := pieces{w, http.NewResponseController(w), h.Patience}
	if err := how(out, value); err != nil {
		return err
	}
	err := out.control.Flush()
	_ = out.control.SetWriteDeadline(time.Time{}) // the next request has its own
	return err
}

// pieces hides everything but Write, so that io.Copy cannot send everything in one
// call.
type pieces struct {
	w        io.Writer
	control  *http.ResponseController
	patience time.Duration
}

// Write sends one piece.
func (p pieces) Write(piece []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.patience)) // if the connection supports deadlines
	return p.w.Write(piece)
}
