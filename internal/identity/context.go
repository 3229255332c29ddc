package identity

import "context"

type asker struct{}

// With returns a context with the principal of a request, so that its effects can be
// recorded under that name.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, asker{}, p)
}

// Of returns the principal in ctx, or the zero Principal.
func Of(ctx context.Context) Principal {
	p, _ := ctx.Value(asker{}).(Principal)
	return p
}

// Called returns the name of a principal in the trail: the person, or else the
// credential.
func (p Principal) Called() string {
	switch {
	case p.User != "":
		return p.User
	case p.Agent != "":
		return p.Agent
	}
	return p.Name
}
