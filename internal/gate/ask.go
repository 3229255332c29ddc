package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// permissions finds which of the required ones nobody granted yet.
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
		standing, grant, err := p.Grants.Find(ctx, p.j.Tenant, p.j.User, p.j.Conversation, consent.Subject{Permission: name})
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w", engine.ErrRetry, err)
		case standing == consent.Never:
			return p.never(grant, "Required permissions were denied: "+name)
		case standing != consent.Allowed:
			p.missing = append(p.missing, name)
		}
	}
	return nil
}

// granted looks whether the person allowed, or refused, this tool before.
func (p *pass) granted(ctx context.Context) (bool, error) {
	if p.j.User == "" {
		return false, nil
	}
	standing, grant, err := p.Grants.Find(ctx, p.j.Tenant, p.j.User, p.j.Conversation, consent.Subject{Tool: p.subject()})
	switch {
	case err != nil:
		return false, fmt.Errorf("%w: %w", engine.ErrRetry, err)
	case standing == consent.Never:
		return false, p.never(grant, "the person does not want to be asked about '"+p.j.Definition().Name+"' again")
	case standing != consent.Allowed, p.decision.Strong: // no grant suffices for a strong one
		return false, nil
	}
	if grant.Scopes != nil {
		p.j.Within = append(slices.Clip(p.j.Within), *grant.Scopes)
	}
	p.j.Decision = engine.Decision{Reason: "granted by " + grant.By, Rule: "grant:" + grant.GrantID}
	return true, nil
}

// never is the answer where a person said never to ask again.
func (p *pass) never(grant *consent.Grant, what string) error {
	blocked := p.block(tool.PermissionDenied, "%s; only they can change that, in the settings (helve grants revoke %s)", what, grant.GrantID)
	p.j.Decision.Rule = "grant:" + grant.GrantID
	return blocked
}

// ask parks the job until a person has decided. ForTool says that the call
// itself needs a yes, and not only permissions.
func (p *pass) ask(ctx context.Context, forTool bool) error {
	def := p.j.Definition()
	reach := narrowest(def.Scopes, p.j.Within)
	if forTool && def.Risk == tool.High && len(reach.Paths)+len(reach.Hosts)+len(reach.Apps) == 0 {
		return p.block(tool.PolicyDenied, "'%s' is of high risk and says nothing of what it may reach, so nobody can agree to it; give its definition scopes, or narrow it by a rule", def.Name)
	}
	reason := p.decision.Reason
	if !forTool {
		reason = fmt.Sprintf("'%s' needs permissions that were not granted yet: %s", def.Name, strings.Join(p.missing, ", "))
	}
	p.j.Decision = engine.Decision{Outcome: audit.ConfirmationRequired, Reason: reason, Rule: p.decision.Rule}
	if p.j.Inner {
		return tool.Fail(tool.ConfirmationRequired, "%s; a call that another one makes is never parked: make it by itself, or it needs a grant, or a confirm_token of the call around it that covers '%s'", strings.TrimSuffix(reason, "."), def.Name)
	}
	if p.j.User == "" {
		return tool.Fail(tool.ConfirmationRequired, "%s; name the user in the context so that they can be asked, or send a confirm_token", strings.TrimSuffix(reason, "."))
	}
	shown, err := p.preview()
	if err != nil {
		return err
	}
	ttl := p.TTL
	if p.decision.TTL > 0 {
		ttl = p.decision.TTL
	}
	err = p.Park(ctx, p.j, consent.Ask{
		TTL: ttl, Shared: !forTool,
		Request: consent.Request{
			Call: consent.Call{CallID: p.j.ID, TraceID: p.j.TraceID}, Tool: def.Name, Risk: def.Risk, Reason: reason, Rule: p.decision.Rule,
			Permissions: append([]string{}, p.missing...), ForTool: forTool, Scopes: reach,
			Tenant: p.j.Tenant, User: p.j.User, Agent: p.j.Agent, Conversation: p.j.Conversation,
			Arguments: shown.Arguments, Preview: shown.Text, Warnings: shown.Warnings, ArgsHash: p.j.ArgsHash(),
			Binding: p.j.Binding(), Subject: p.subject(),
		},
	})
	switch refusal, refused := errors.AsType[*tool.Error](err); {
	case refused:
		p.j.Decision.Outcome, p.j.Decision.Reason = audit.Blocked, refusal.Msg
		return refusal
	case errors.Is(err, consent.ErrDecided):
		return fmt.Errorf("%w: %w", engine.ErrParked, err)
	case err != nil:
		return fmt.Errorf("%w: park: %w", engine.ErrRetry, err)
	}
	return engine.ErrParked
}

// subject is under what a lasting answer about the tool is remembered. One about a
// script is about that script, and not about another that was given its name.
func (p *pass) subject() string {
	id, _, _ := strings.Cut(p.j.Entry().Tool.Identity, "@")
	if id == "" {
		return p.j.Definition().Name
	}
	return p.j.Definition().Name + "." + id
}

// preview is what the person is shown of the arguments. Code is shown as it is, all
// of it, or nobody is asked; and what a model wrote as a schema hides nothing.
func (p *pass) preview() (preview.Preview, error) {
	def := p.j.Definition()
	marks := def.Parameters
	if def.Kind == tool.KindDynamic {
		marks = nil
	}
	shown, err := preview.Of(p.j.Arguments(), marks, p.j.Entry().Tool.Verbatim...)
	if err == nil && shown.Cut && len(p.j.Entry().Tool.Verbatim) > 0 {
		err = tool.Fail(tool.ValidationError, "the arguments are too long to be shown to the person who must agree; make them shorter")
	}
	return shown, err
}

// narrowest is what the person is shown as the call's reach: for each kind the
// last restriction there is. The ports enforce all of them.
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
