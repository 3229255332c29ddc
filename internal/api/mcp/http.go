package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"regexp"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/identity"
)

const sessionHeader = "Mcp-Session-Id"

// Handler serves the protocol's streamable HTTP at whatever path it is put. Who asks
// is in the request's context already, see [identity.With], and foreign web pages have
// been kept out. A request has at most maxBody bytes.
func (s *Server) Handler(maxBody int64) http.Handler {
	mcp := func(*http.Request) *sdk.Server { return s.sdk }
	options := sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // whoever puts this into a server checks the host
	}
	streams := sdk.NewStreamableHTTPHandler(mcp, &options)
	options.JSONResponse = true
	answers := sdk.NewStreamableHTTPHandler(mcp, &options)
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w := &patient{ResponseWriter: out, control: http.NewResponseController(out), patience: s.Patience}
		defer w.end()
		if r.Method != http.MethodPost {
			answers.ServeHTTP(w, r) // which says what is possible
			return
		}
		body, err := readBody(w, r, maxBody, s.BodyTime)
		if err != nil {
			return
		}
		said, isMessage := glance(body)
		if !isMessage {
			malformed(w)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		by := Caller{By: identity.Of(r.Context())}.named(r.Header)
		ctx := withCaller(r.Context(), by)
		callID, session := "", r.Header.Get(sessionHeader)
		switch {
		case said.Method == "initialize":
			w.Header().Set(sessionHeader, rand.Text())
		case said.Method == "tools/call" && sessionName.MatchString(session) && named(said.ID):
			callID = idOf(by, session, said.ID)
			ctx = withSent(ctx, sent{callID: callID})
		case said.Method == "notifications/cancelled" && sessionName.MatchString(session) && named(said.Params.RequestID):
			s.cancel(ctx, by, idOf(by, session, said.Params.RequestID))
		}
		if said.plain(r.Header) {
			var done bool
			if ctx, done = s.quick(ctx, w, by, &said, callID); done {
				return
			}
		}
		sdkHandler := answers
		if len(said.Params.Meta.ProgressToken) > 0 {
			sdkHandler = streams
		}
		sdkHandler.ServeHTTP(w, r.WithContext(ctx))
	})
}

// readBody reads a request, which a client must send in one go: there are no requests
// that grow. What goes wrong is answered.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(within)) // where there are deadlines
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil { // else what is left of it has no more time either
		_ = control.SetReadDeadline(time.Time{})
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, "the request is larger than this server takes; send files by reference", http.StatusRequestEntityTooLarge)
	} else if err != nil {
		http.Error(w, "the request ended before its end, or took longer than "+within.String(), http.StatusBadRequest)
	}
	return body, err
}

// malformed answers what is not one JSON value, which the SDK would read the first of.
func malformed(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"malformed payload: the body must be one JSON value"}}`+"\n")
}

// A session of the versions that have them is a name its client was given. Nothing is
// kept for it, so every replica knows it; it is what makes the ids of its requests
// those of no other client.
var sessionName = regexp.MustCompile(`^[A-Za-z0-9]{16,64}$`)

// sent is what a transport knows of a call that the SDK is given: the id by which its
// client can name it again, or under which it ran already.
type sent struct {
	callID, traceID string
	// waited says that the call was waited for.
	waited bool
}

type sentKey struct{}

func withSent(ctx context.Context, s sent) context.Context {
	return context.WithValue(ctx, sentKey{}, s)
}

func sentOf(ctx context.Context) sent {
	s, _ := ctx.Value(sentKey{}).(sent)
	return s
}

// idOf makes the call_id of a session's request.
func idOf(by Caller, session string, request []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(by.By.Tenant), []byte(by.user()), []byte(by.agent()), []byte(session), bytes.TrimSpace(request)} {
		sum := sha256.Sum256(part)
		_, _ = h.Write(sum[:])
	}
	return "mcp-" + hex.EncodeToString(h.Sum(nil)[:16])
}
