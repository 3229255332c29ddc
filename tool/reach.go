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

type serviceKey struct{}

// WithService returns a context whose requests and connections count as those of a service
// of the config center, for the operator's limits (service_rate_limits).
func WithService(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, serviceKey{}, name)
}

// ServiceOf returns the name of WithService, empty if there is none.
func ServiceOf(ctx context.Context) string {
	name, _ := ctx.Value(serviceKey{}).(string)
	return name
}
