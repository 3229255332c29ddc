package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Codes of answers that replace a server's. Their messages have the reason. A server cannot
// send them: see [read].
const (
	// CodeTooLong replaces an answer that is longer than what is taken.
	CodeTooLong = -32999
	// CodeUnread replaces an answer that is no message of the protocol.
	CodeUnread = -32998
	// CodeStatus replaces an answer over HTTP whose status is no success; see [Failure].
	CodeStatus = -32997
)

func ours(code int64) bool { return code >= CodeTooLong && code <= CodeStatus }

// Failure is an answer over HTTP whose status is no success.
type Failure struct {
	Status int `json:"status"`
	// RetryAfter is the time in whole seconds after which the server wants to be asked
	// again; 0 for unknown.
	RetryAfter int `json:"retry_after,omitempty"`
	// Session is set if the server does not know the session of the request.
	Session bool `json:"session,omitempty"`
	// Protocol is set if the answer is an error of the protocol, Text is its message.
	Protocol bool   `json:"protocol,omitempty"`
	Text     string `json:"text,omitempty"`
}

// FailureOf returns the failure that an error of the SDK carries.
func FailureOf(e *jsonrpc.Error) (f Failure, ok bool) {
	return f, e.Code == CodeStatus && json.Unmarshal(e.Data, &f) == nil
}

// tooLong returns an error answer to a call in place of the server's.
func tooLong(id jsonrpc.ID, why string) *jsonrpc.Response {
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: CodeTooLong, Message: why}}
}

// unreadableResponse returns an error answer to a call in place of the server's.
func unreadableResponse(id jsonrpc.ID, why string) *jsonrpc.Response {
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: CodeUnread, Message: why}}
}

// failureResponse returns the answer to a call that ended in a status.
func failureResponse(id jsonrpc.ID, f Failure) *jsonrpc.Response {
	data, err := json.Marshal(f)
	if err != nil {
		return unreadableResponse(id, err.Error()) // it holds texts and numbers only
	}
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: CodeStatus, Message: fmt.Sprintf("HTTP status %d", f.Status), Data: data}}
}

// sessionHeader is the header of a session's id.
const sessionHeader = "Mcp-Session-Id"

// failureOf reads an answer whose status is no success. Servers write that they do not know a
// session as 404, and some as 400 with a message about it.
func failureOf(req *http.Request, resp *http.Response, body []byte) Failure {
	f := Failure{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	if msg, err := jsonrpc.DecodeMessage(body); err == nil {
		if answer, ok := msg.(*jsonrpc.Response); ok && answer.Error != nil {
			f.Protocol, f.Text = true, answer.Error.Error()
		}
	}
	hasSession := req.Header.Get(sessionHeader) != ""
	f.Session = hasSession &&
		(f.Status == http.StatusNotFound || f.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(string(body)), "session"))
	return f
}

// retryAfter reads the header of that name, which has seconds or a date.
func retryAfter(text string, now time.Time) int {
	const most = 24 * 60 * 60
	seconds, err := strconv.Atoi(text)
	if at, dateErr := http.ParseTime(text); dateErr == nil {
		seconds, err = int((at.Sub(now)+time.Second-1)/time.Second), nil
	}
	if err != nil || seconds <= 0 {
		return 0
	}
	return min(seconds, most)
}
