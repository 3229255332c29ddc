package outward

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/helve-dev/helve/tool"
)

// verdict is the meaning of a request's outcome for the circuit of its server.
type verdict uint8

const (
	// ignored says nothing about the server: the caller cancelled, or the guard refused.
	ignored verdict = iota
	worked
	requestError
)

// Patience is the time that a server must have had before a time-out counts against it:
// otherwise a caller with a short timeout would close the server to the rest of the tenant.
const Patience = time.Second

// judge returns the verdict on a request to address that took so long.
func judge(resp *http.Response, err error, address string, took time.Duration) verdict {
	if err == nil && resp != nil && elsewhere(resp, address) {
		return worked // it answered, with a redirect
	}
	switch {
	case err == nil && resp == nil:
		return worked
	case err == nil:
		switch resp.StatusCode {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return requestError
		}
		return worked
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		if u, broken := url.Parse(e.URL); broken == nil && addressOf(u) != address {
			return worked
		}
	}
	if kind := tool.AsError(err).Kind; kind == tool.NetworkError || kind == tool.Timeout && took >= Patience {
		return requestError
	}
	return ignored
}

// elsewhere reports whether another server than that at address has answered.
func elsewhere(resp *http.Response, address string) bool {
	return resp.Request != nil && addressOf(resp.Request.URL) != address
}
