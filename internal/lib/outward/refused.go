package outward

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/lib/redact"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxReason bounds the part of an error's body that is read, in bytes.
	maxReason = 4 << 10
	// shownReason bounds the part that is shown, in characters.
	shownReason = 300
)

// Senseless returns the error for an answer of the service that cannot be used.
func (c *Client) Senseless(why string) *tool.Error {
	return tool.Fail(tool.ExecutionError, "the answer of %s makes no sense: %s", c.base.Host, why)
}

// Refused returns the error for an answer that is no success, with the status and, for 429,
// the seconds to wait in its metadata.
func (c *Client) Refused(resp *http.Response) error {
	return c.refusal(resp).With("status", resp.StatusCode).Because(status(resp.StatusCode))
}

func (c *Client) refusal(resp *http.Response) *tool.Error {
	host, name := c.base.Host, c.service.Name
	switch code := resp.StatusCode; {
	case (code == http.StatusUnauthorized || code == http.StatusForbidden) && c.Field(tool.AccessToken) != "":
		return tool.Fail(tool.NotConfigured,
			"%[1]s refused the account of the service %[2]q (status %[3]d): it may not do this, or is no longer connected%[4]s. Connect it again: "+
				"helve config connect %[2]s",
			host, name, code, c.Hide(reason(resp.Body)))
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return tool.Fail(tool.NotConfigured,
			"%[1]s refused the account of the service %[2]q (status %[3]d): its key is missing, wrong or may not do this%[5]s. Set it: "+
				"helve config set %[2]s %[4]s",
			host, name, code, c.service.Set, c.Hide(reason(resp.Body)))
	case code == http.StatusTooManyRequests:
		wait := RetryAfter(resp.Header, c.call.Clock)
		return tool.Fail(tool.RateLimited, "%s had too many requests; try again in %d seconds", host, wait).With("retryAfter", wait)
	case code >= http.StatusInternalServerError:
		return tool.Fail(tool.NetworkError, "%s answered with status %d; try again later", host, code)
	case code >= http.StatusBadRequest:
		return tool.Fail(tool.ExecutionError, "%s refused the request (status %d)%s", host, code, c.Hide(reason(resp.Body)))
	default:
		return tool.Fail(tool.ExecutionError, "%s answered with status %d, which this API does not have", host, code)
	}
}

// reason returns the message of an error body, after ": ", in one of the forms that
// providers use: a text, or an object with it, as error, message, detail, description or
// the first of errors.
func reason(body io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(body, maxReason))
	var answer any
	if err != nil || json.Unmarshal(text, &answer) != nil {
		return ""
	}
	for range 4 {
		switch a := answer.(type) {
		case string:
			if strings.TrimSpace(a) == "" {
				return ""
			}
			return ": " + strings.TrimRight(textcut.Excerpt(strings.ToValidUTF8(a, ""), shownReason), ". ")
		case map[string]any:
			answer = nil
			for _, name := range []string{"error", "message", "detail", "description", "reason", "errors"} {
				switch v := a[name].(type) {
				case string, map[string]any, []any:
					answer = v
				default:
					continue
				}
				break
			}
		case []any:
			answer = nil
			if len(a) > 0 {
				answer = a[0]
			}
		default:
			return ""
		}
	}
	return ""
}

// Hide removes the secrets of the entry from a text of the service, which may repeat them.
func (c *Client) Hide(text string) string { return c.secrets().Text(text) }

func (c *Client) secrets() *redact.Secrets {
	s := new(redact.Secrets)
	s.Add(c.entry.Data)
	return s
}

// hidden returns the error of a request that was not answered. Some services take their key
// in the address, which errors of the network repeat.
func (c *Client) hidden(err error) error {
	e := tool.AsError(err)
	shown := tool.Fail(e.Kind, "%s", c.Hide(e.Msg))
	if e.Cause == nil {
		return shown
	}
	return shown.Because(c.secrets().Error(e.Cause))
}
