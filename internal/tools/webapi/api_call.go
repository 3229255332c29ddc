package webapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxAPI limits what is read of the answers of one call, in bytes.
const maxAPI = 5 << 20

// address returns the URL of the first request.
func (args *jsonAPIArgs) address() (*url.URL, error) {
	u, err := parseURL(args.URL)
	if err != nil {
		return nil, err
	}
	var query []string
	if u.RawQuery != "" {
		query = append(query, u.RawQuery)
	}
	for _, name := range slices.Sorted(maps.Keys(args.Query)) {
		values, err := queryValues(args.Query[name])
		if err != nil {
			return nil, tool.Fail(tool.ValidationError, "query.%s must be a text, a number, a boolean or a list of them", name)
		}
		for _, v := range values {
			query = append(query, url.QueryEscape(name)+"="+url.QueryEscape(v))
		}
	}
	u.RawQuery = strings.Join(query, "&")
	return u, nil
}

var errNoQuery = errors.New("not a value of a query")

// queryValues returns a value, or those of a list, as a query has them.
func queryValues(raw json.RawMessage) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	values := make([]string, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			values[i] = v
		case json.Number:
			values[i] = v.String()
		case bool:
			values[i] = map[bool]string{true: "true", false: "false"}[v]
		default:
			return nil, errNoQuery
		}
	}
	return values, nil
}

// request returns a request with the headers and body of the call, but without the
// credentials of a service.
func (a *apiCall) request(ctx context.Context, u *url.URL, body []byte) (*http.Request, error) {
	var reader io.Reader = http.NoBody
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := requestTo(ctx, cmp.Or(a.args.Method, http.MethodGet), u, reader, a.args.Headers)
	if err != nil {
		return nil, err
	}
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json")
	}
	if a.args.BearerToken != "" {
		if err := setHeader(req.Header, "Authorization", "Bearer "+a.args.BearerToken); err != nil {
			return nil, tool.Fail(tool.ValidationError, "bearerToken holds a line break or another control character; remove it")
		}
	}
	return req, nil
}

// send sends a request to u, and once more with a new token if the account of a person was
// refused: a request that is answered 401 has done nothing.
func (a *apiCall) send(ctx context.Context, u *url.URL) (*http.Response, error) {
	resp, err := a.sendOnce(ctx, u)
	if err != nil || a.account == nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	client, renewed, err := a.account.client.Renewed(ctx)
	if !renewed && err == nil {
		return resp, nil
	}
	_ = resp.Body.Close() // nothing more is read from it
	if err != nil {
		return nil, err
	}
	a.account.client = client
	return a.sendOnce(ctx, u)
}

// sendOnce sends a request to u, a GET again on 503.
func (a *apiCall) sendOnce(ctx context.Context, u *url.URL) (*http.Response, error) {
	var body []byte
	if a.args.Data != nil {
		var err error
		if body, err = jsonOf("data", a.args.Data); err != nil {
			return nil, err
		}
	}
	return outward.Retry(ctx, a.call.Clock, func() (*http.Response, error) {
		req, err := a.request(ctx, u, body)
		if err != nil {
			return nil, err
		}
		if a.account != nil {
			return a.account.do(a.call.HTTP, req)
		}
		return a.call.HTTP.Do(req)
	})
}

// refused returns the error for an answer that ends the call: too many requests, a server
// that fails, or credentials of a service that it does not accept. Every other answer is a
// result, nil here.
func (a *apiCall) refused(resp *http.Response) error {
	code := resp.StatusCode
	switch {
	case a.account != nil && (code == http.StatusUnauthorized || code == http.StatusForbidden):
		return a.account.client.Refused(resp)
	case code == http.StatusTooManyRequests:
		wait := outward.RetryAfter(resp.Header, a.call.Clock)
		return tool.Fail(tool.RateLimited, "%s had too many requests (status 429); try again in %d seconds",
			resp.Request.URL.Host, wait).With("status", code).With("retryAfter", wait)
	case code >= http.StatusInternalServerError:
		said, err := io.ReadAll(io.LimitReader(resp.Body, maxSaid))
		if err != nil {
			return err
		}
		text := a.hide(textcut.Excerpt(strings.ToValidUTF8(string(said), ""), shownSaid))
		if text != "" {
			text = ": " + text
		}
		failed := tool.Fail(tool.NetworkError, "%s answered with status %d%s", resp.Request.URL.Host, code, text).With("status", code)
		if resp.Header.Get("Retry-After") != "" {
			failed = failed.With("retryAfter", outward.RetryAfter(resp.Header, a.call.Clock))
		}
		return failed
	default:
		return nil
	}
}

// Limits on the text of a server that fails: what is read, in bytes, and shown, in
// characters.
const (
	maxSaid   = 4 << 10
	shownSaid = 300
)
