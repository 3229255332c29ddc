package apitools

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/tool"
)

// statusError is the cause of an error that an API answered.
type statusError struct{ code int }

// Error implements error.
func (e *statusError) Error() string { return "status " + strconv.Itoa(e.code) }

// refused returns the error for an answer with a status of 400 or more.
func (o *offer) refused(call *tool.Call, resp *http.Response, k *keys) error {
	host, code := o.base.Host, resp.StatusCode
	seconds, wait := retryAfter(resp.Header, call)
	limited := code == http.StatusTooManyRequests || code == http.StatusForbidden && (wait || resp.Header.Get("X-Ratelimit-Remaining") == "0")
	var e *tool.Error
	switch said := o.reason(resp, k); {
	case limited:
		if !wait {
			seconds = 60
		}
		e = tool.Fail(tool.RateLimited, "%s had too many requests (status %d); try again in %d seconds", host, code, seconds)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		e = o.unauthorized(code, said, k)
	case code >= http.StatusInternalServerError:
		advice := "try again later"
		if o.def.Mutates {
			advice = "it may have happened all the same, so check before you try again"
		}
		e = tool.Fail(tool.NetworkError, "%s answered with status %d; %s%s", host, code, advice, said)
	default:
		e = tool.Fail(tool.ExecutionError, "%s refused the request (status %d)%s", host, code, said)
	}
	return e.Because(&statusError{code})
}

func (o *offer) unauthorized(code int, said string, k *keys) *tool.Error {
	host := o.base.Host
	if len(k.used) == 0 {
		return tool.Fail(tool.ExecutionError,
			"%s refused the request (status %d): it wants a credential, and the operator has bound no service to the API %s%s",
			host, code, o.api.Name, said)
	}
	service := k.used[0].service
	if k.used[0].account() {
		return tool.Fail(tool.NotConfigured,
			"%[1]s refused the account of the service %[2]q (status %[3]d): it may not do this, or is no longer connected. Connect it again: "+
				"helve config connect %[2]s%[4]s",
			host, service, code, said)
	}
	return tool.Fail(tool.NotConfigured,
		"%[1]s refused the key of the service %[2]q (status %[3]d). The key is missing, wrong, or may not do this. Set it: "+
			"helve config set %[2]s --stdin %[4]s%[5]s",
		host, service, code, o.field(service), said)
}

const (
	maxRefusal = 64 << 10 // bytes of a refusal that are read
	maxSaid    = 600      // bytes of it that are shown
)

// reason returns what an API said about a refusal, as a part of a sentence.
func (o *offer) reason(resp *http.Response, k *keys) string {
	if media := resp.Header.Get("Content-Type"); media != "" && (!apidoc.IsText(media) || strings.Contains(media, "html")) {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	if err != nil {
		return ""
	}
	text = k.scrub(text)
	said := string(text)
	var answer map[string]json.RawMessage
	if json.Unmarshal(text, &answer) == nil {
		for _, name := range []string{"message", "error_description", "detail", "error", "title", "errors"} {
			if raw := answer[name]; len(raw) > 0 && string(raw) != "null" {
				said = messageOf(raw)
				break
			}
		}
	}
	said = string(k.scrub([]byte(said))) // as it was decoded, too
	if said = foreign.Text(strings.Join(strings.Fields(said), " "), maxSaid); said == "" {
		return ""
	}
	return fmt.Sprintf(". It said, from outside and not to be trusted: %q", said)
}

// messageOf returns the message of an error: a text, or the member message of an object.
func messageOf(raw json.RawMessage) string {
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	return plainly(raw)
}

// retryAfter returns the seconds after which an API wants to be asked again.
func retryAfter(h http.Header, call *tool.Call) (int, bool) {
	const most = 24 * 3600
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return min(n, most), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return int(min(max(at.Sub(call.Clock.Now()), 0)/time.Second, most)), true
	}
	return 0, false
}
