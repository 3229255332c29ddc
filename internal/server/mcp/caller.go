package mcp

import (
	"cmp"
	"context"
	"net/http"
)

// user returns the person of a caller, if known.
func (c Caller) user() string { return cmp.Or(c.User, c.By.User) }

func (c Caller) agent() string { return cmp.Or(c.Agent, c.By.Agent) }

// honest reports whether the credential may act for the identity in the headers.
func (c Caller) honest() bool {
	_, err := c.By.Narrow("", c.User, c.Agent)
	return err == nil
}

type callerKey struct{}

func withCaller(ctx context.Context, by Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, by)
}

func callerOf(ctx context.Context) Caller {
	by, _ := ctx.Value(callerKey{}).(Caller)
	return by
}

// named returns the caller with the identity from the request's headers.
func (c Caller) named(head http.Header) Caller {
	c.User = head.Get("Helve-User")
	c.Agent = head.Get("Helve-Agent")
	c.Conversation = head.Get("Helve-Conversation")
	c.Timezone = head.Get("Helve-Timezone")
	return c
}
