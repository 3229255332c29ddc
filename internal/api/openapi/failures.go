package openapi

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/helve-dev/helve/internal/bus"
)

// failures are the statuses of requests that fail as a whole.
var failures = map[int]string{
	http.StatusBadRequest:            "The request is malformed; the detail says where.",
	http.StatusUnauthorized:          "A credential is needed, or the one that was sent does not count.",
	http.StatusForbidden:             "The caller may not do this, or a foreign web page asked for it.",
	http.StatusNotFound:              "There is nothing of that name.",
	http.StatusRequestTimeout:        "The body did not arrive in time.",
	http.StatusConflict:              "It was decided already, or belongs to somebody else.",
	http.StatusRequestEntityTooLarge: "The request is beyond a limit.",
	http.StatusUnsupportedMediaType:  "The body is encoded in a way that is not read here.",
	http.StatusInternalServerError:   "Helve broke in this request.",
	http.StatusServiceUnavailable:    "Not ready, or not now; try again after the time in Retry-After.",
}

// always are the failures that any operation may end in.
var always = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// responseName is the name of a failure among the components.
func responseName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

func (b *builder) failure(status int, text string) *huma.Response {
	r := &huma.Response{Description: text, Content: map[string]*huma.MediaType{problemType: {Schema: b.schema(Problem{})}}}
	header := func(name, text, kind string) {
		r.Headers = map[string]*huma.Param{name: {Description: text, Schema: &huma.Schema{Type: kind}}}
	}
	switch status {
	case http.StatusUnauthorized:
		header("WWW-Authenticate", "The scheme to authenticate with.", huma.TypeString)
	case http.StatusServiceUnavailable:
		header("Retry-After", "Seconds to wait before the request is sent again.", huma.TypeInteger)
	}
	return r
}

// Problem is the RFC 9457 body of a request that failed as a whole.
type Problem struct {
	Type      string `json:"type" doc:"Always about:blank: branch on error_type."`
	Title     string `json:"title" doc:"The name of the status."`
	Status    int    `json:"status" doc:"The HTTP status."`
	Detail    string `json:"detail" doc:"One sentence: what is wrong, and what to do."`
	ErrorType string `json:"error_type" enum:"bad_request,unauthenticated,forbidden,not_found,conflict,too_large,overloaded,unavailable" doc:"What is wrong, for a program; a closed set."`
}

// Overloaded is a problem with the results of the calls that were refused. None is
// there where the request was refused before its calls were looked at.
type Overloaded struct {
	Problem
	TraceID string        `json:"trace_id,omitempty" doc:"The trace of the request."`
	Results []bus.Element `json:"results,omitempty" doc:"What came of each call, in the order asked."`
}
