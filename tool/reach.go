package tool

import (
	"context"
	"slices"
)

type reachKey struct{}

// WithReach returns a context in which requests through [HTTP] may also go to hosts, each
// "host:port", although they are internal. Only addresses that an operator has set belong
// there; scopes hold regardless.
func WithReach(ctx context.Context, hosts ...string) context.Context {
	return context.WithValue(ctx, reachKey{}, slices.Concat(Reachable(ctx), hosts))
}

// Reachable returns the hosts that the context adds to those of the guard.
func Reachable(ctx context.Context) []string {
	hosts, _ := ctx.Value(reachKey{}).([]string)
	return hosts
}
