package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// permissions collects the required permissions that were not granted yet.
func (p *pass) permissions(ctx context.Context, required []string) error {
	for _, name := range required {
		if p.claims != nil && slices.Contains(p.claims.Permissions, name) {
			p.carried = true
			continue
		}
		if p.j.User == "" {
			p.missing = append(p.missing, name)
			continue
		}
		standing, grant, err := p.remembered(ctx, consent.Subject{Permission: name})
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w", engine.ErrRetry, err)
		case standing == consent.Never:
			if a := p.j.Entry().Tool.Adoption; a != nil && a.Permission == name {
				return p.never(grant, "the person does not want to use this version of '"+p.j.Definition().Name+"', which somebody else made")
			}
			return p.never(grant, "Required permissions were denied: "+name)
		case standing != consent.Allowed:
			p.missing = append(p.missing, name)
		}
	}
	return nil
}

// granted reports whether the person allowed this tool before, or returns an error if they
// refused it.
func (p *pass) granted(ctx context.Context) (bool, error) {
	if p.j.User == "" {
		return false, nil
	}
	standing, grant, err := p.remembered(ctx, consent.Subject{Tool: p.subject()})
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: %w", engine.ErrRetry, err)
	case standing == consent.Never:
		return false, p.never(grant, "the person does not want to be asked about '"+p.j.Definition().Name+"' again")
	case standing != consent.Allowed, p.decision.Strong, p.j.Entry().Tool.ApproverOnly, !p.covers(grant):
		// a grant does not suffice for a strong one
		return false, nil
	}
	if grant.Scopes != nil {
		p.j.Within = append(slices.Clip(p.j.Within), *grant.Scopes)
	}
	p.j.Decision = engine.Decision{Reason: "granted by " + grant.By, Rule: "grant:" + grant.ID}
	return true, nil
}

// never returns the error for a tool the person refused permanently.
func (p *pass) never(grant *protocol.Grant, what string) error {
	blocked := p.block(tool.PermissionDenied, "%s; only they can change that, in the settings (helve grants revoke %s)", what, grant.ID)
	p.j.Decision.Rule = "grant:" + grant.ID
	return blocked
}

// ask parks the job until a person has decided. ForTool is set if the call itself needs
// consent, not only its permissions.
func (p *pass) ask(ctx context.Context, forTool bool) error {
	def := p.j.Definition()
	reach := narrowest(def.Scopes, p.j.Within)
	if forTool && def.Risk == tool.High && !p.kinds().explicit(reach) {
		return p.block(tool.PolicyDenied,
			"'%s' is of high risk and says nothing of what it may reach, so nobody can agree to it; give its definition scopes, or narrow it "+
				"by a rule",
			def.Name)
	}
	reason := p.decision.Reason
	if !forTool {
		reason = fmt.Sprintf("'%s' needs permissions that were not granted yet: %s", def.Name, strings.Join(p.missing, ", "))
	}
	if p.outdated {
		reason = "what the call changes was changed by somebody else after it was allowed, so that is asked again; " + reason
	}
	reason, adopts := p.adopts(reason)
	if p.j.Entry().Tool.ApproverOnly {
		reason = strings.TrimSuffix(reason, ".") + "; somebody with the role approver must decide"
	}
	p.j.Decision = engine.Decision{Outcome: protocol.OutcomeConfirmationRequired, Reason: reason, Rule: p.decision.Rule}
	if p.j.Nested {
		return tool.Fail(tool.ConfirmationRequired,
			"%s; a call that another one makes is never parked: make it by itself, or it needs a grant, or a confirm_token of the call around it "+
				"that covers '%s'",
			strings.TrimSuffix(reason, "."), def.Name)
	}
	if p.j.User == "" {
		return tool.Fail(tool.ConfirmationRequired, "%s; name the user in the context so that they can be asked, or send a confirm_token",
			strings.TrimSuffix(reason, "."))
	}
	return p.park(ctx, consent.Ask{
		Shared:  !forTool,
		Again:   p.outdated,
		Request: protocol.Consent{Reason: reason, Permissions: append([]string{}, p.missing...), ForTool: forTool, Scopes: reach, Adopts: adopts},
	})
}

// mostDescribed bounds the description of a tool that a person is shown, in characters.
const mostDescribed = 1000

// park completes a with the properties of the call and asks the person.
func (p *pass) park(ctx context.Context, a consent.Ask) error {
	shown, err := p.preview()
	if err != nil {
		return err
	}
	if a.TTL = p.TTL; p.decision.TTL > 0 {
		a.TTL = p.decision.TTL
	}
	def, r := p.j.Definition(), &a.Request
	if step := p.j.Step; step != nil {
		if a.TTL == p.TTL && def.Risk != tool.High {
			a.TTL = max(a.TTL, p.StepTTL)
		}
		r.Program = step
	}
	if r.ForTool {
		if r.Changes, err = p.changes(ctx); err != nil {
			return err
		}
	}
	r.Call, r.Tool, r.Risk, r.Rule = protocol.ConsentCall{CallID: p.j.ID, TraceID: p.j.TraceID}, def.Name, def.Risk, p.decision.Rule
	r.Tenant, r.User, r.Agent, r.Conversation = p.j.Tenant, p.j.User, p.j.Agent, p.j.Conversation
	r.Arguments, r.Preview, r.Warnings, r.ArgsHash = shown.Arguments, shown.Text, shown.Warnings, p.j.ArgsHash()
	r.Binding, r.Subject = p.j.Binding(), p.subject()
	r.Hosts, r.ApproverOnly = p.named(), p.j.Entry().Tool.ApproverOnly
	if r.ForTool {
		if r.Tools = mayCall(def); len(r.Tools) > 0 {
			r.Reason += "; a yes covers its calls of medium risk, in this run, with: " + strings.Join(r.Tools, ", ")
		}
	}
	p.offerProgram(r)
	r.Sentence, r.Description = sentence.Of(sentence.English, r), textcut.Excerpt(def.Description, mostDescribed)
	err = p.Park(ctx, p.j, a)
	switch refusal, refused := errors.AsType[*tool.Error](err); {
	case refused:
		p.j.Decision.Outcome, p.j.Decision.Reason = protocol.OutcomeBlocked, refusal.Msg
		return refusal
	case errors.Is(err, consent.ErrDecided):
		return fmt.Errorf("%w: %w", engine.ErrParked, err)
	case err != nil:
		return fmt.Errorf("%w: park: %w", engine.ErrRetry, err)
	}
	return engine.ErrParked
}

// adopts returns the permission to use a tool made by somebody else, if the call lacks it,
// and the reason to ask with it.
func (p *pass) adopts(reason string) (string, string) {
	a := p.j.Entry().Tool.Adoption
	if a == nil || !slices.Contains(p.missing, a.Permission) {
		return reason, ""
	}
	if len(p.missing) > 1 || p.decision.Outcome == policy.Ask {
		return a.Reason + "; " + reason, a.Permission
	}
	return a.Reason, a.Permission
}

// subject returns the name under which a lasting decision about the tool is stored. A
// decision about a script applies to that script only, not to another with the same name.
func (p *pass) subject() string {
	id, _, _ := strings.Cut(p.j.Entry().Tool.Identity, "@")
	if id == "" {
		return p.j.Definition().Name
	}
	return p.j.Definition().Name + "." + id
}

// preview returns the view of the arguments that the person is shown. Code is shown
// complete, or the call is refused; an x-secret mark in a schema written by a model hides
// nothing.
func (p *pass) preview() (preview.Preview, error) {
	def := p.j.Definition()
	marks := def.Parameters
	if def.Kind == tool.KindDynamic {
		marks = nil
	}
	shown, err := preview.Of(beside(p.j.Arguments(), p.j.Shown), marks, p.j.Entry().Tool.Verbatim...)
	if ignored := p.j.Ignored(); err == nil && len(ignored) > 0 {
		shown.Warnings = append(shown.Warnings, preview.Ignored(ignored))
	}
	if err == nil && shown.Cut && len(p.j.Entry().Tool.Verbatim) > 0 {
		err = tool.Fail(tool.ValidationError, "the arguments are too long to be shown to the person who must agree; make them shorter")
	}
	return shown, err
}

// beside returns an object with the members of both, which are not empty objects.
func beside(args, more json.RawMessage) json.RawMessage {
	if len(more) == 0 {
		return args
	}
	end := bytes.LastIndexByte(args, '}')
	return slices.Concat(args[:end], []byte(","), more[bytes.IndexByte(more, '{')+1:])
}

// narrowest returns the scopes to show to the person: for each kind the innermost
// restriction. The ports enforce all of them.
func narrowest(own tool.Scopes, within []tool.Scopes) tool.Scopes {
	out := tool.Scopes{Paths: own.Paths, Hosts: own.Hosts, Apps: own.Apps}
	for _, s := range within {
		if len(s.Paths) > 0 {
			out.Paths = s.Paths
		}
		if len(s.Hosts) > 0 {
			out.Hosts = s.Hosts
		}
		if len(s.Apps) > 0 {
			out.Apps = s.Apps
		}
	}
	for _, list := range []*[]string{&out.Paths, &out.Hosts, &out.Apps} {
		if *list == nil {
			*list = []string{}
		}
	}
	return out
}
