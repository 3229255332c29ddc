package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// remembered returns what the person decided about a subject before, with the grant that contains
// it: for the conversation or until it is revoked, or else for the rest of a program around the call.
func (p *pass) remembered(ctx context.Context, s consent.Subject) (consent.Standing, *protocol.Grant, error) {
	standing, grant, err := p.Grants.Find(ctx, p.j.Tenant, p.j.User, p.j.Conversation, s)
	if err != nil || standing == consent.Never || standing == consent.Allowed && p.covers(grant) {
		return standing, grant, err
	}
	for _, of := range p.j.Programs {
		s.Program = of.CallID
		inner, found, err := p.Grants.Find(ctx, p.j.Tenant, p.j.User, "", s)
		switch {
		case err != nil:
			return consent.Unknown, nil, err
		case inner == consent.Allowed && found.ProgramRun == of.Run && found.TraceID == p.j.TraceID && p.covers(found):
			return inner, found, nil
		}
		if found, err := p.planned(ctx, s, of); found != nil || err != nil {
			return consent.Allowed, found, err
		}
	}
	return standing, grant, nil
}

// planned returns the grant of a durable tool's run, if the person approved the run with a list of
// tools that has this one. Code of a model is not approved by its name.
func (p *pass) planned(ctx context.Context, s consent.Subject, of protocol.ProgramRun) (*protocol.Grant, error) {
	def := p.j.Definition()
	if s.Tool == "" || def.Risk == tool.High || def.Kind == tool.KindDynamic {
		return nil, nil
	}
	standing, found, err := p.Grants.Find(ctx, p.j.Tenant, p.j.User, "", consent.Subject{Program: of.CallID, Plan: true})
	if err != nil || standing != consent.Allowed || found.ProgramRun != of.Run || found.TraceID != p.j.TraceID ||
		!named(found.Tools, def.Name) || !p.covers(found) {
		return nil, err
	}
	return found, nil
}

// named reports whether a list of names and patterns has a name.
func named(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return pattern == name || open && strings.HasPrefix(name, prefix)
	})
}

// mayCall returns the tools that a durable tool may call by its definition, which an approval of
// the call covers; nil for another tool.
func mayCall(def *tool.Definition) []string {
	if !def.Durable {
		return nil
	}
	return def.Tools
}

// mostCovered bounds the names of what a call may reach in the words of an offer.
const mostCovered = 10

// offerProgram offers to remember an approval for the rest of the program that the call is a step
// of, in words, unless the call can be approved only once.
func (p *pass) offerProgram(r *protocol.Consent) {
	if r.Program == nil || r.Kind != "" || r.ApproverOnly || r.Risk == tool.High || p.decision.Strong {
		return
	}
	covers := strings.Join(r.Permissions, ", ")
	if r.ForTool || covers == "" {
		covers = r.Tool
		reach := slices.Concat(hostsOf(r), r.Scopes.Paths, r.Scopes.Apps)
		if more := len(reach) - mostCovered; more > 0 {
			reach = append(reach[:mostCovered], fmt.Sprintf("and %d more", more))
		}
		if len(reach) > 0 {
			covers += " to " + strings.Join(reach, ", ")
		}
	}
	offered := *r.Program
	offered.Covers = covers
	r.Program = &offered
}

// hostsOf returns the hosts that an approval of r covers, as far as they are bounded.
func hostsOf(r *protocol.Consent) []string {
	if len(r.Hosts) > 0 {
		return r.Hosts
	}
	return r.Scopes.Hosts
}
