package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

const problemType = "application/problem+json"

// problem is an RFC 9457 problem. Its type is always about:blank, so its title
// is the status' own; programs branch on error_type.
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	ErrorType string `json:"error_type"`

	SignIn     *protocol.SignIn `json:"sign_in,omitempty"`
	SignedInAs *string          `json:"signed_in_as,omitempty"`
}

func writeProblem(w http.ResponseWriter, err error) {
	e, _ := api.AsRequestError(err)
	setRetryAfter(w, e.Status, e.RetryAfter)
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeJSON(w, e.Status, problemType, problemOf(e))
}

// writeOverloaded sends the results of calls that were all refused as overloaded, or
// for a quota: a problem that also has the members of the ordinary answer.
func writeOverloaded(w http.ResponseWriter, reply api.Reply) {
	e := &api.RequestError{
		Type:   "overloaded",
		Status: http.StatusServiceUnavailable,
		Msg: cmp.Or(reply.Reason, "too many calls are waiting") +
			", so none of these was accepted; send the request again after the time in Retry-After",
	}
	if reply.Limited {
		e.Type, e.Status, e.Msg = "rate_limited", http.StatusTooManyRequests, reply.Reason
	}
	setRetryAfter(w, e.Status, reply.RetryAfter)
	head := problemOf(e)
	writeJSON(w, e.Status, problemType, slices.Concat(head[:len(head)-1], []byte(","), reply.Body[1:]))
}

func problemOf(e *api.RequestError) []byte {
	body, err := json.Marshal(problem{"about:blank", http.StatusText(e.Status), e.Status, e.Msg, e.Type, e.SignIn, e.SignedInAs})
	if err != nil {
		panic(err) // strings and a number always encode
	}
	return body
}

// setRetryAfter sets the delay in whole seconds, at least one. A 503 always has a
// Retry-After.
func setRetryAfter(w http.ResponseWriter, status int, wait time.Duration) {
	if wait > 0 || status == http.StatusServiceUnavailable {
		seconds := max((wait+time.Second-1)/time.Second, 1)
		w.Header().Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
}
