package chat

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/client"
)

// longestRefusal bounds the part of an error response that is read, in bytes.
const longestRefusal = 64 << 10

// fault is an error as reported by a provider.
type fault struct {
	words string
	// kinds are the provider's names for the error: type, code and status, whichever it
	// has.
	kinds []string
	// wait is the delay requested by an error of Google's APIs (google.rpc.RetryInfo),
	// which lacks the header that others use.
	wait time.Duration
}

// passing are the kinds of temporary errors: OpenAI's, Anthropic's and those of
// Google's APIs (google.rpc.Code).
var passing = []string{
	"server_error", "rate_limit_exceeded", "internal_server_error",
	"api_error", "overloaded_error", "rate_limit_error", "timeout_error",
	"ABORTED", "DEADLINE_EXCEEDED", "INTERNAL", "RESOURCE_EXHAUSTED", "UNAVAILABLE",
}

// readFault parses the errors of providers and compatible servers: an object with an
// error that is an object or a text, or such an object itself, or a list of one.
func readFault(v jsontext.Value) fault {
	var told struct {
		Error   jsontext.Value `json:"error"`
		Message jsontext.Value `json:"message"`
		Detail  jsontext.Value `json:"detail"`
		Type    jsontext.Value `json:"type"`
		Code    jsontext.Value `json:"code"`
		Status  jsontext.Value `json:"status"`
		Details jsontext.Value `json:"details"`
	}
	var several []jsontext.Value
	if json.Unmarshal(v, &several, lenient) == nil && len(several) > 0 {
		v = several[0]
	}
	for range 2 {
		if json.Unmarshal(v, &told, lenient) != nil || told.Error.Kind() != '{' {
			break
		}
		v, told.Error = told.Error, nil
	}
	f := fault{words: textOf(told.Error), wait: retryDelay(told.Details)}
	for _, words := range []jsontext.Value{told.Message, told.Detail} {
		if f.words == "" {
			f.words = textOf(words)
		}
	}
	for _, kind := range []jsontext.Value{told.Type, told.Code, told.Status} {
		if given(kind) {
			f.kinds = append(f.kinds, strings.Trim(string(kind), `"`))
		}
	}
	return f
}

// retryDelay returns the delay among the details of a Google error, such as "34s".
func retryDelay(details jsontext.Value) time.Duration {
	var list []struct {
		Delay string `json:"retryDelay"`
	}
	if json.Unmarshal(details, &list, lenient) != nil {
		return 0
	}
	for _, d := range list {
		if wait, err := time.ParseDuration(d.Delay); err == nil && wait > 0 {
			return wait
		}
	}
	return 0
}

// temporary reports whether a retry may help.
func (f fault) temporary() bool {
	return slices.ContainsFunc(f.kinds, func(kind string) bool {
		status, err := strconv.Atoi(kind)
		return slices.Contains(passing, kind) || err == nil && temporary(status)
	})
}

// errorIn returns an error that arrived in the middle of an answer.
func errorIn(v jsontext.Value) error {
	f := readFault(v)
	e := &client.ModelError{Temporary: f.temporary()}
	if e.Temporary {
		e.RetryAfter = f.wait
	}
	if f.words == "" {
		f.words = strings.Join(append([]string{"an error without a message"}, f.kinds...), ", ")
	}
	e.Msg = advised(e, f.words)
	return e
}

// refused returns the error for an answer with a status other than 2xx.
func (m *model) refused(resp *http.Response, in *bounded) error {
	e := &client.ModelError{Status: resp.StatusCode, Temporary: temporary(resp.StatusCode)}
	body, _ := io.ReadAll(io.LimitReader(in, longestRefusal)) // as much as can be read
	f := readFault(body)
	if e.Temporary {
		e.RetryAfter = max(retryAfter(resp.Header.Get("Retry-After"), time.Now()), f.wait)
	}
	words := f.words
	if text := strings.TrimSpace(string(body)); words == "" && !strings.ContainsAny(text[:min(len(text), 1)], "<{[") {
		words = text
	}
	if words == "" {
		words = strings.ToLower(http.StatusText(resp.StatusCode))
	}
	e.Msg = advised(e, words)
	return e
}

// advised puts the remedy in front of a provider's words; behind them it might be cut
// off.
func advised(e *client.ModelError, words string) string {
	switch {
	case e.Status/100 == 3:
		return "it has moved, and the key is not sent after it; set the base URL to its new place"
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return "check the key; it says: " + words
	case e.Status == http.StatusNotFound:
		return "check the model's name and the base URL; it says: " + words
	case e.Temporary:
		return "ask again later; it says: " + words
	}
	return words
}
