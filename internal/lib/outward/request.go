package outward

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 16 << 20

// Request is a request to the service.
type Request struct {
	// Method is the HTTP method; GET if empty.
	Method string
	// Path is below the base address, and may be empty.
	Path  string
	Query url.Values
	// JSON, if not nil, is the body, or else Form. Otherwise it is Body, of the type Type.
	JSON any
	Form *Form
	Body []byte
	Type string
	// Accept is the type of the answer; application/json if empty.
	Accept string
	// Slow means that the service may work for minutes before it begins to answer.
	Slow bool
	// Most bounds the answer that JSON and Bytes read, in bytes; 16 MiB if 0.
	Most int
}

// JSON sends a request and decodes the answer, which must be JSON.
func (c *Client) JSON(ctx context.Context, r Request, answer any) error {
	text, err := c.Bytes(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return c.Senseless("it is not the JSON of this API").Because(err)
	}
	return nil
}

// Bytes sends a request and returns the body of the answer.
func (c *Client) Bytes(ctx context.Context, r Request) ([]byte, error) {
	resp, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	return read(ctx, resp.Body, c.base.Host, cmp.Or(r.Most, maxAnswer))
}

// read reads the body of an answer, up to a bound.
func read(ctx context.Context, body io.Reader, host string, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, int64(most)+1))
	switch {
	case ctx.Err() != nil:
		return nil, tool.AsError(ctx.Err())
	case err != nil:
		return nil, tool.Fail(tool.NetworkError, "%s broke off its answer; try again later", host).Because(err)
	case len(text) > most:
		return nil, tool.Fail(tool.ExecutionError, "the answer of %s is longer than %d bytes", host, most)
	}
	return text, nil
}

// Do sends a request and returns the answer, whose status is 200 to 299. The caller closes
// its body.
func (c *Client) Do(ctx context.Context, r Request) (*http.Response, error) {
	body, kind := r.Body, r.Type
	if r.JSON != nil {
		var err error
		if body, err = json.Marshal(r.JSON); err != nil {
			return nil, tool.Fail(tool.ValidationError, "the request cannot be encoded as JSON").Because(err)
		}
		kind = "application/json"
	}
	ctx = c.Reach(ctx)
	if r.Slow {
		ctx = tool.WithPatience(ctx)
	}
	resp, err := Retry(ctx, c.call.Clock, func() (*http.Response, error) {
		req, err := c.made(ctx, r, body, kind)
		if err != nil {
			return nil, err
		}
		return c.call.HTTP.Do(req)
	})
	if err != nil {
		return nil, c.hidden(err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer func() { _ = resp.Body.Close() }() // everything that matters has been read
		return nil, c.Refused(resp)
	}
	return resp, nil
}

func (c *Client) made(ctx context.Context, r Request, body []byte, kind string) (*http.Request, error) {
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	to := c.base
	if r.Path != "" {
		to = c.base.JoinPath(r.Path)
	}
	at := *to
	at.RawQuery = r.Query.Encode()
	var reader io.Reader
	var size int64
	var err error
	switch {
	case r.JSON == nil && r.Form != nil:
		reader, size, kind, err = r.Form.body()
	case body != nil:
		reader, size = bytes.NewReader(body), int64(len(body))
	}
	var req *http.Request
	if err == nil {
		req, err = http.NewRequestWithContext(ctx, method, at.String(), reader)
	}
	if err != nil {
		return nil, tool.Fail(tool.Internal, "the request to %s cannot be made", c.base.Host).Because(err)
	}
	req.ContentLength = size
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Accept", "application/json")
	if r.Accept != "" {
		req.Header.Set("Accept", r.Accept)
	}
	req.Header.Set("User-Agent", "Helve")
	c.Sign(req)
	return req, nil
}

// Sign adds the credentials of the entry to a request, which must be below its address
// ([Client.Below]).
func (c *Client) Sign(req *http.Request) {
	if c.service.Sign != nil {
		c.service.Sign(req, c.entry.Data)
		return
	}
	if key := strings.TrimSpace(c.entry.Data["api_key"]); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
}
