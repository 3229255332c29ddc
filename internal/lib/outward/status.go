package outward

import (
	"errors"
	"net"
	"net/http"
	"strconv"

	"github.com/helve-dev/helve/tool"
)

// status is the status of an answer that is no success: the cause of its error.
type status int

// Error returns the status as a text.
func (s status) Error() string { return "status " + strconv.Itoa(int(s)) }

// Status returns the status of the answer with which a service refused a request, 0 for any
// other error.
func Status(err error) int {
	s, _ := errors.AsType[status](err)
	return int(s)
}

// Declined reports whether a request that failed with err certainly had no effect: there is
// no usable account, no connection was made, or the service answered that it did nothing.
// Then another service may be used for the same purpose, even if the request costs money. A
// gateway that lost the service behind it (502, 504) does not know, nor does silence.
func Declined(err error) bool {
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Kind == tool.NotConfigured {
		return true
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	switch code := Status(err); code {
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return false
	default:
		return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
	}
}
