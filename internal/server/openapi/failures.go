package openapi

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/helve-dev/helve/protocol"
)

// failures are the statuses of requests that fail as a whole.
var failures = map[int]string{
	http.StatusBadRequest:                   "The request is malformed; see the detail.",
	http.StatusUnauthorized:                 "A credential is required, or the credential sent is not valid.",
	http.StatusForbidden:                    "The caller may not do this, or a foreign web page asked for it.",
	http.StatusNotFound:                     "There is nothing of that name.",
	http.StatusRequestTimeout:               "The body did not arrive in time.",
	http.StatusPreconditionFailed:           "The condition of the request does not hold.",
	http.StatusRequestedRangeNotSatisfiable: "The file has no such range; Content-Range has its size.",
	http.StatusInsufficientStorage:          "The workspace or the disk is full.",
	http.StatusConflict:                     "It was decided already, or belongs to somebody else.",
	http.StatusRequestEntityTooLarge:        "The request is beyond a limit.",
	http.StatusTooManyRequests:              "Over a quota; try again after the time in Retry-After.",
	http.StatusUnsupportedMediaType:         "The body is encoded in a way that is not read here.",
	http.StatusInternalServerError:          "Helve broke in this request.",
	http.StatusServiceUnavailable:           "Not ready, or not now; try again after the time in Retry-After.",
}

// always lists the failures that any operation may end in.
var always = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// responseName returns the component name of a failure.
func responseName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

func (b *builder) failure(status int, text string) *huma.Response {
	r := &huma.Response{Description: text, Content: map[string]*huma.MediaType{problemType: {Schema: b.schema(protocol.Problem{})}}}
	header := func(name, text, kind string) {
		r.Headers = map[string]*huma.Param{name: {Description: text, Schema: &huma.Schema{Type: kind}}}
	}
	switch status {
	case http.StatusUnauthorized:
		header("WWW-Authenticate", "The scheme to authenticate with.", huma.TypeString)
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		header("Retry-After", "Seconds to wait before the request is sent again.", huma.TypeInteger)
	}
	return r
}
