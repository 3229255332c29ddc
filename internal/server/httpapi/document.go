package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/openapi"
)

// document is the description of the API with its ETag.
type document struct {
	text []byte
	tag  string
}

// describe serves the document, which is built on first use: most processes never need
// it. It contains nothing about the server's users, so anybody may read it.
func (h *handler) describe() http.HandlerFunc {
	built := sync.OnceValues(func() (document, error) {
		text, err := openapi.Document()
		sum := sha256.Sum256(text)
		// A weak tag, because it is also sent with the compressed bytes.
		return document{append(text, '\n'), `W/"` + hex.EncodeToString(sum[:8]) + `"`}, err
	})
	return func(w http.ResponseWriter, r *http.Request) {
		doc, err := built()
		if err != nil {
			h.Log.Error("the API cannot be described", zap.Error(err))
			writeProblem(w, api.Crashed())
			return
		}
		w.Header().Set("ETag", doc.tag)
		w.Header().Set("Cache-Control", "no-cache") // cache it, but revalidate
		if strings.Contains(r.Header.Get("If-None-Match"), doc.tag[len("W/"):]) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_ = h.send(w, r, bytes.NewReader(doc.text), int64(len(doc.text))) // a client that left is no failure
	}
}
