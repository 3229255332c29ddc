package api

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// mostCounted bounds what is counted of a kind, so that a console may ask often.
const mostCounted = 50

// counts returns how much waits for the caller. It shows nothing of it, so it is no look that the
// trail records. What the caller may not list, and what does not answer, is absent.
func (s *Service) counts(ctx context.Context, in Input) (Reply, error) {
	var c protocol.Counts
	if wide := in.By.Has(inboxers...); s.Gate.Consents != nil {
		if wide {
			c.Consents = s.waiting(ctx, in.Tenant, "")
		}
		if in.By.User != "" {
			c.Own = s.waiting(ctx, in.Tenant, in.By.User)
		}
	}
	c.Programs = s.openPrograms(in)
	if s.Dead != nil && in.By.Has(auditors...) {
		if letters, err := s.Dead.List(ctx, in.Tenant, 0, mostCounted); err == nil {
			c.Dead = new(len(letters))
		}
	}
	if s.Checks != nil && in.By.Has(auditors...) && in.Tenant == DefaultTenant {
		c.Findings = findings(s.Checks.Check(ctx))
	}
	if in.By.Has(identity.Admin) && s.mayUpstream(in) == nil {
		if tools, err := s.Upstreams.List(ctx, ""); err == nil {
			c.Upstream = new(min(mostCounted, count(tools, func(t protocol.UpstreamTool) bool { return t.State != protocol.UpstreamAccepted })))
		}
	}
	return answer(c)
}

// waiting returns the number of consents that wait for a user, or for all with an empty name.
func (s *Service) waiting(ctx context.Context, tenant, user string) *int {
	f := consent.Filter{Status: protocol.PendingConsent, User: user, Limit: mostCounted}
	list, _, err := s.Gate.Consents.List(ctx, tenant, f)
	if err != nil {
		return nil
	}
	return new(len(list))
}

// openPrograms returns the number of programs that the caller may list and that have not ended.
func (s *Service) openPrograms(in Input) *int {
	user := in.By.User
	switch {
	case s.Programs == nil:
		return nil
	case in.By.Oversees():
		user = ""
	case user == "" || !in.By.Has(identity.User):
		return nil
	}
	if n := s.Programs.OpenPrograms(in.Tenant, user); n > 0 {
		return new(min(n, mostCounted))
	}
	return nil
}

// findings counts what an operator should look at.
func findings(r protocol.CheckReport) *protocol.FindingCounts {
	at := func(level string) int {
		return count(r.Findings, func(f protocol.Finding) bool { return f.Level == level })
	}
	return &protocol.FindingCounts{Errors: at(protocol.FindingError), Warnings: at(protocol.FindingWarning)}
}

func count[T any](all []T, is func(T) bool) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(v T) bool { return !is(v) }))
}
