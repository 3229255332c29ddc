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
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/identity"
)

const sessionHeader = "Mcp-Session-Id"

// Handler serves the protocol's streamable HTTP at any path. The caller must already be
// in the request's context, see [identity.With], its tool set in the path value toolset, and foreign web pages must have been
// refused. A request has at most maxBody bytes.
func (s *Server) Handler(maxBody int64) http.Handler {
	mcp := func(*http.Request) *sdk.Server { return s.sdk }
	options := sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the enclosing server checks the host
	}
	streams := sdk.NewStreamableHTTPHandler(mcp, &options)
	options.JSONResponse = true
	answers := sdk.NewStreamableHTTPHandler(mcp, &options)
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w := &deadlineWriter{ResponseWriter: out, control: http.NewResponseController(out), patience: s.Patience}
		defer w.end()
		if r.Method != http.MethodPost {
			answers.ServeHTTP(w, r) // reports which methods are allowed
			return
		}
		body, err := readBody(w, r, maxBody, s.BodyTime)
		if err != nil {
			return
		}
		said, problem := glance(body)
		if problem != "" {
			refuse(w, http.StatusBadRequest, nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "malformed payload: " + problem})
			return
		}
		if refused(w, r.Header, &said) {
			return
		}
		ids := newKeeper()
		body = ids.hide(body, &said)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		by := Caller{By: identity.Of(r.Context()), Toolset: r.PathValue("toolset")}.named(r.Header)
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
			if ctx, done = s.fastpath(ctx, w, by, &said, callID); done {
				return
			}
		}
		sdkHandler := answers
		if len(said.Params.Meta.ProgressToken) > 0 {
			sdkHandler = streams
		}
		sdkHandler.ServeHTTP(&answerWriter{ResponseWriter: w, keeper: ids, id: said.ID}, r.WithContext(ctx))
	})
}

// readBody reads a request, which a client must send in one piece. It answers a request
// that cannot be read.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, within time.Duration) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(within)) // if the connection supports deadlines
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil { // otherwise the rest of the body must not get more time
		_ = control.SetReadDeadline(time.Time{})
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, "the request is larger than this server takes; send files by reference", http.StatusRequestEntityTooLarge)
	} else if over, ok := err.(interface{ RetryIn() time.Duration }); ok {
		w.Header().Set("Retry-After", strconv.Itoa(max(int(over.RetryIn().Seconds()), 1)))
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	} else if err != nil {
		http.Error(w, "the request ended before its end, or took longer than "+within.String(), http.StatusBadRequest)
	}
	return body, err
}

// sessionName matches a session, which is a name given to clients of older versions.
// Nothing is stored for it, so every replica accepts it; it makes the IDs of its
// requests different from those of other clients.
var sessionName = regexp.MustCompile(`^[A-Za-z0-9]{16,64}$`)

// sent is the transport's information about a call for the SDK: the ID by which its
// client can refer to it again, or under which it ran already.
type sent struct {
	callID, traceID string
	// waited is set if the call was already waited for.
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

// idOf returns the call_id of a session's request.
func idOf(by Caller, session string, request []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(by.By.Tenant), []byte(by.user()), []byte(by.agent()), []byte(session), bytes.TrimSpace(request)} {
		sum := sha256.Sum256(part)
		_, _ = h.Write(sum[:])
	}
	return "mcp-" + hex.EncodeToString(h.Sum(nil)[:16])
}
