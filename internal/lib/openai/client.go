package openai

import (
	"context"
	"net/http"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// Service is the name of the service in the config center.
const Service = "openai"

// Of returns the service for a use, such as "to translate texts".
func Of(use string) outward.Service {
	return outward.Service{Name: Service, Base: "https://api.openai.com/v1", Use: use, Set: "--stdin api_key"}
}

// Client is an endpoint with its key.
type Client struct{ *outward.Client }

// Open returns the client of the call's service. The error is not_configured if there is no
// active entry; use completes its sentence "It is needed".
func Open(ctx context.Context, call *tool.Call, use string) (*Client, error) {
	c, err := outward.Open(ctx, call, Of(use))
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// Find is Open where another service may do: without an active entry it returns nil and no
// error.
func Find(ctx context.Context, call *tool.Call, use string) (*Client, error) {
	c, err := outward.Find(ctx, call, Of(use))
	if c == nil || err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// Model returns the first name that is not empty: that of the caller, of a field of the
// service, the standard one.
func (c *Client) Model(asked, field, otherwise string) string {
	for _, name := range []string{strings.TrimSpace(asked), c.Field(field)} {
		if name != "" {
			return name
		}
	}
	return otherwise
}

// post sends a request and decodes the answer.
func (c *Client) post(ctx context.Context, path string, request, answer any) error {
	return c.JSON(ctx, outward.Request{Method: http.MethodPost, Path: path, JSON: request}, answer)
}

// slow is post for requests that a model may work on for minutes.
func (c *Client) slow(ctx context.Context, path string, request, answer any) error {
	return c.JSON(ctx, outward.Request{Method: http.MethodPost, Path: path, JSON: request, Slow: true}, answer)
}

// reported adds tokens to the usage of the call if the endpoint reported any.
func (c *Client) reported(model string, input, output int) {
	if input > 0 || output > 0 {
		c.Spend(model, input, output)
	}
}
