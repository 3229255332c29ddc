package mcpclient

import (
	"context"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Person answers the forms that a client is asked to show.
type Person struct {
	Action   string
	Remember string
	Content  map[string]any // in place of Remember
	Asked    atomic.Pointer[mcp.ElicitParams]
	Times    atomic.Int32
	Before   func()
}

// Options returns the options of a client with this person.
func (p *Person) Options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		p.Asked.Store(req.Params)
		p.Times.Add(1)
		if p.Before != nil {
			p.Before()
		}
		res := &mcp.ElicitResult{Action: p.Action}
		if p.Remember != "" {
			res.Content = map[string]any{"remember": p.Remember}
		}
		if p.Content != nil {
			res.Content = p.Content
		}
		return res, nil
	}}
}
