package identity

import "context"

type asker struct{}

// With returns a context of what p asked for, so that what is done for it can
// be put on record under its name.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, asker{}, p)
}

// Of returns who asked, the zero Principal if nobody said.
func Of(ctx context.Context) Principal {
	p, _ := ctx.Value(asker{}).(Principal)
	return p
}

// Called is what the trail calls a principal: the person, or else the
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
