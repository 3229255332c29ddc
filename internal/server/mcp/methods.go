package mcp

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// methods are the methods of requests that are answered. The SDK answers those of
// capabilities that were not declared as well.
var methods = []string{
	"initialize", "ping", "server/discover", "subscriptions/listen", "tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read", "tasks/get", "tasks/update", "tasks/cancel",
}

// served reports whether a message has a method that is answered, or is a notification.
func served(method string) bool {
	return slices.Contains(methods, method) || strings.HasPrefix(method, "notifications/")
}

// unknownMethod returns the protocol's error for a method that is not served.
func unknownMethod(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the method " + method + " is not served here"}
}

// onlyServed refuses the methods that are not served.
func onlyServed(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if !served(method) {
			return nil, unknownMethod(method)
		}
		return next(ctx, method, req)
	}
}

// refuse answers a request over HTTP with an error of the protocol.
func refuse(w http.ResponseWriter, status int, id jsontext.Value, failure *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`) // a client that disconnected reads no answer
	if named(id) {
		_, _ = io.WriteString(w, `"id":`+string(id)+`,`)
	}
	_, _ = w.Write(append([]byte(`"error":`), encode(wireError{failure.Code, failure.Message})...))
	_, _ = io.WriteString(w, "}\n")
}

type wireError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// refused answers a request that the SDK would not refuse as it should, and reports whether
// it did: an unknown method, which before 2026-07-28 the SDK answers with a text, and a
// request about a task whose header names another one.
func refused(w http.ResponseWriter, head http.Header, m *message) bool {
	if !named(m.ID) || m.Method == "" {
		return false
	}
	latest := head.Get("Mcp-Protocol-Version") == Versions()[0]
	if !served(m.Method) {
		status := http.StatusOK
		if latest {
			status = http.StatusNotFound
		}
		refuse(w, status, m.ID, unknownMethod(m.Method))
		return true
	}
	if latest && strings.HasPrefix(m.Method, "tasks/") && head.Get("Mcp-Name") != m.Params.TaskID {
		refuse(w, http.StatusBadRequest, m.ID, &jsonrpc.Error{
			Code: sdk.CodeHeaderMismatch, Message: "the header Mcp-Name must be the taskId of the request",
		})
		return true
	}
	return false
}

// answerWriter passes on the answer of the SDK to one request, with the client's own ids and
// with each error in the form of the protocol: the SDK writes some as plain text.
type answerWriter struct {
	http.ResponseWriter

	keeper  keeper
	id      jsontext.Value
	problem int // the status of an error in plain text, 0 for none
}

// WriteHeader implements [http.ResponseWriter].
func (w *answerWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && named(w.id) && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.problem = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter]. The SDK writes each message in one call.
func (w *answerWriter) Write(p []byte) (int, error) {
	if w.problem != 0 {
		refuse(w.ResponseWriter, w.problem, w.id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(string(p))})
		w.problem = 0
		return len(p), nil
	}
	if shown := w.keeper.show(p); len(shown) != len(p) {
		w.Header().Del("Content-Length")
		_, err := w.ResponseWriter.Write(shown)
		return len(p), err
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
