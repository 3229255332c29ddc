package tool

import (
	"context"
	"slices"
)

type reachKey struct{}

// WithReach returns a context whose requests and connections may also reach the given
// addresses, each HOST:PORT, although they are internal or their port is closed. It is
// meant for addresses that the operator has set, such as those of a shared
// [ServiceEntry]; a tool must not pass an address of a model or a person.
func WithReach(ctx context.Context, addresses ...string) context.Context {
	if len(addresses) == 0 {
		return ctx
	}
	return context.WithValue(ctx, reachKey{}, append(slices.Clone(Reachable(ctx)), addresses...))
}

// Reachable returns the addresses of WithReach, for implementations of [HTTP] and [Dialer].
func Reachable(ctx context.Context) []string {
	addresses, _ := ctx.Value(reachKey{}).([]string)
	return addresses
}
