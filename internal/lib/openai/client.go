package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Service is the name of the service in the config center.
const Service = "openai"

// standard is the endpoint of an entry without base_url.
const standard = "https://api.openai.com/v1"

// maxAnswer bounds what is read of an answer: 100 vectors of 3,072 numbers.
const maxAnswer = 16 << 20

// Client is an endpoint with its key.
type Client struct {
	http  tool.HTTP
	base  *url.URL
	key   string
	field map[string]string
}

// Open returns the client of the call's service. The error is not_configured if there is no
// active entry; purpose completes its first sentence.
func Open(ctx context.Context, call *tool.Call, purpose string) (*Client, error) {
	entries, err := call.Secrets.Entries(ctx, Service)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Active {
			return open(call.HTTP, e.Data)
		}
	}
	return nil, tool.Fail(tool.NotConfigured, "The service %[2]q is not configured%[3]s. It is needed %[1]s. Set it: helve config set %[2]s --stdin api_key (with --user NAME for one person); with base_url=URL for another endpoint with the same API.", purpose, Service, whom(call))
}

// whom returns for whom an entry is missing.
func whom(call *tool.Call) string {
	if call.User == "" {
		return " for the tenant " + call.Tenant
	}
	return ", neither for " + call.User + " nor for the tenant " + call.Tenant
}

func open(port tool.HTTP, data map[string]string) (*Client, error) {
	text := strings.TrimSpace(data["base_url"])
	if text == "" {
		text = standard
	}
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" || base.User != nil {
		return nil, tool.Fail(tool.NotConfigured, "The base_url of the service %[1]q is not an http or https address. Correct it: helve config set %[1]s base_url=%[2]s", Service, standard)
	}
	base.RawQuery, base.Fragment = "", ""
	return &Client{http: port, base: base, key: strings.TrimSpace(data["api_key"]), field: data}, nil
}

// model returns the first name that is not empty: that of the caller, of a field of the
// service, the standard one.
func (c *Client) model(asked, field, otherwise string) string {
	for _, name := range []string{strings.TrimSpace(asked), strings.TrimSpace(c.field[field])} {
		if name != "" {
			return name
		}
	}
	return otherwise
}

// post sends a request and decodes the answer.
func (c *Client) post(ctx context.Context, path string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return tool.Fail(tool.ValidationError, "the request cannot be encoded as JSON").Because(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return tool.Fail(tool.Internal, "the request to %s cannot be made", c.base.Host).Because(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Helve")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	if resp.StatusCode != http.StatusOK {
		return c.refused(resp)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case ctx.Err() != nil:
		return tool.AsError(ctx.Err())
	case err != nil:
		return tool.Fail(tool.NetworkError, "%s broke off its answer; try again later", c.base.Host).Because(err)
	case len(text) > maxAnswer:
		return tool.Fail(tool.ExecutionError, "the answer of %s is longer than %d bytes", c.base.Host, maxAnswer)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return tool.Fail(tool.ExecutionError, "the answer of %s does not have the form of OpenAI's API", c.base.Host).Because(err)
	}
	return nil
}

// refused returns the error for an answer that is not 200.
func (c *Client) refused(resp *http.Response) error {
	host := c.base.Host
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return tool.Fail(tool.NotConfigured, "%[1]s refused the key of the service %[2]q (status %[3]d). The key is missing, wrong or may not use the model. Set it: helve config set %[2]s --stdin api_key", host, Service, code)
	case code == http.StatusTooManyRequests:
		return tool.Fail(tool.RateLimited, "%s had too many requests; try again in %s seconds", host, seconds(resp.Header.Get("Retry-After")))
	case code >= http.StatusInternalServerError:
		return tool.Fail(tool.NetworkError, "%s answered with status %d; try again later", host, code)
	case code >= http.StatusBadRequest:
		return tool.Fail(tool.ExecutionError, "%s refused the request (status %d)%s", host, code, c.hide(reason(resp.Body)))
	default:
		return tool.Fail(tool.ExecutionError, "%s answered with status %d, which OpenAI's API does not have", host, code)
	}
}

// seconds returns a Retry-After that is a number, and 60 for any other.
func seconds(text string) string {
	if text == "" || len(text) > 5 || strings.Trim(text, "0123456789") != "" {
		return "60"
	}
	return text
}

// maxReason bounds the part of an error's body that is read and shown.
const maxReason = 4 << 10

// reason returns the message of an error body in OpenAI's form, after ": ".
func reason(body io.Reader) string {
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text, err := io.ReadAll(io.LimitReader(body, maxReason))
	if errors.Join(err, json.Unmarshal(text, &answer)) != nil || answer.Error.Message == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(answer.Error.Message[:min(len(answer.Error.Message), 300)], "")
}

// hide removes the key from a text of the service, which may repeat it.
func (c *Client) hide(text string) string {
	if c.key == "" {
		return text
	}
	return strings.ReplaceAll(text, c.key, "…")
}
