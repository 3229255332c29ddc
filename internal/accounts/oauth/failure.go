package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"golang.org/x/oauth2"

	"github.com/helve-dev/helve/tool"
)

// Refusal is the answer of a provider that refuses a request.
type Refusal struct {
	// Code is the provider's error code, such as invalid_grant; empty if there is none.
	Code   string
	Status int
}

// Error returns code and status.
func (r *Refusal) Error() string { return fmt.Sprintf("the provider answered %d %s", r.Status, r.Code) }

// gone are the codes by which providers say that a grant is not, or no longer, valid:
// invalid_grant is that of RFC 6749.
var gone = []string{"invalid_grant", "invalid_refresh_token", "bad_refresh_token", "token_revoked", "token_expired", "expired_token"}

// Gone reports whether the provider no longer accepts the refresh token, the code or the
// device code of a request.
func Gone(err error) bool { return codeIn(err, gone...) }

// Pending reports whether the person has not yet entered a device code. Slow is set if the
// provider wants to be asked less often.
func Pending(err error) (pending, slow bool) {
	slow = codeIn(err, "slow_down")
	return slow || codeIn(err, "authorization_pending"), slow
}

// Denied reports whether the person, or the provider for them, has refused.
func Denied(err error) bool { return codeIn(err, "access_denied", "authorization_declined") }

func codeIn(err error, codes ...string) bool {
	r, ok := errors.AsType[*Refusal](err)
	return ok && slices.Contains(codes, r.Code)
}

// unknownClient reports whether a provider did not recognize Helve in a request.
func unknownClient(err error) bool {
	e, ok := errors.AsType[*oauth2.RetrieveError](err)
	return ok &&
		(slices.Contains([]string{"invalid_client", "unauthorized_client", "invalid_request"}, e.ErrorCode) ||
			e.Response.StatusCode == http.StatusUnauthorized)
}

var codeForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,60}$`)

// Code returns an error code as it may be shown, or empty for a text that is none.
func Code(text string) string {
	if !codeForm.MatchString(text) {
		return ""
	}
	return text
}

// failure returns the error of a request. What the provider wrote beside its code is left
// out: it may repeat the request.
func (p *Provider) failure(err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		known, ok := errors.AsType[*tool.Error](err)
		if !ok {
			known = tool.AsError(err)
		}
		switch {
		case known.Kind == tool.Timeout:
			return tool.Fail(tool.Timeout, "%s did not answer in time; try again later", p.Title)
		case ok || known.Kind != tool.ExecutionError:
			return tool.Fail(known.Kind, "%s: %s", p.Title, known.Msg)
		}
		return tool.Fail(tool.ExecutionError, "%s answered with something that is no token; the admin checks the addresses of the service",
			p.Title)
	}
	r := &Refusal{Code: Code(refused.ErrorCode), Status: refused.Response.StatusCode}
	return p.refused(r, refused.Response.Header).Because(r)
}

func (p *Provider) refused(r *Refusal, header http.Header) *tool.Error {
	switch {
	case r.Status == http.StatusTooManyRequests:
		return tool.Fail(tool.RateLimited, "%s has had too many requests; try again in %d seconds", p.Title, retryAfter(header))
	case r.Status >= http.StatusInternalServerError, r.Code == "temporarily_unavailable", r.Code == "server_error":
		return tool.Fail(tool.NetworkError, "%s failed to answer (%d %s); try again later", p.Title, r.Status, r.Code)
	case slices.Contains([]string{
		"invalid_client", "unauthorized_client", "invalid_client_id", "bad_client_secret", "incorrect_client_credentials",
	}, r.Code), r.Status == http.StatusUnauthorized:
		return tool.Fail(tool.NotConfigured,
			"%s does not accept Helve's registration (%s); the admin sets client_id and client_secret again with helve config set", p.Title, r.Code)
	case r.Code == "":
		return tool.Fail(tool.ExecutionError, "%s answered %d without an error code; the admin checks the addresses of the service",
			p.Title, r.Status)
	}
	return tool.Fail(tool.ExecutionError, "%s refused the request: %s", p.Title, r.Code)
}

// retryAfter returns the seconds of a Retry-After header, a minute without one.
func retryAfter(header http.Header) int {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 && seconds <= 24*3600 {
		return seconds
	}
	if at, err := http.ParseTime(value); err == nil {
		if wait := time.Until(at); wait > 0 && wait < 24*time.Hour {
			return int(wait.Seconds()) + 1
		}
	}
	return 60
}
