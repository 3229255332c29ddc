package mcp

import (
	"cmp"
	"context"
	"net/http"
)

// user is the person a caller stands for, as far as it says.
func (c Caller) user() string { return cmp.Or(c.User, c.By.User) }

func (c Caller) agent() string { return cmp.Or(c.Agent, c.By.Agent) }

type callerKey struct{}

func withCaller(ctx context.Context, by Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, by)
}

func callerOf(ctx context.Context) Caller {
	by, _ := ctx.Value(callerKey{}).(Caller)
	return by
}

// named adds to a caller what the request's headers say.
func (c Caller) named(head http.Header) Caller {
	c.User = head.Get("Helve-User")
	c.Agent = head.Get("Helve-Agent")
	c.Conversation = head.Get("Helve-Conversation")
	return c
}
