package consent

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
)

// Grants are decisions that last longer than a call. They are read from the store each
// time: a revoked grant is no longer in force when the revocation is acknowledged. A
// grant that allows something is valid only if a dispatcher signed it.
type Grants struct {
	Bucket *natsio.Bucket
	// Ring has the keys whose grants are valid. Signer is set in dispatchers only.
	Ring   *token.Keyring
	Signer *token.Signer
}

// Subject is the subject of a grant: a permission or a tool, by name, and the program for whose
// rest it holds, if it is one.
type Subject struct {
	Permission, Tool, Program string
	// Plan is set for all tools that a durable tool may call.
	Plan bool
}

// Standing is the remembered decision about a subject.
type Standing int

// The standings. A refusal ("never ask") overrides a grant.
const (
	Unknown Standing = iota
	Allowed
	Never
)

// Find returns the decision of a user about a subject for all conversations, or for
// this one, with the grant that contains it.
func (g *Grants) Find(ctx context.Context, tenant, user, conversation string, s Subject) (Standing, *protocol.Grant, error) {
	standing, found := Unknown, (*protocol.Grant)(nil)
	keys := []string{grantKey(tenant, user, "", s)}
	if conversation != "" {
		keys = append(keys, grantKey(tenant, user, conversation, s))
	}
	for _, k := range keys {
		grant, err := g.get(ctx, k)
		switch {
		case err != nil:
			return Unknown, nil, err
		case grant == nil:
		case grant.Deny:
			return Never, grant, nil
		default:
			standing, found = Allowed, grant
		}
	}
	return standing, found, nil
}

func (g *Grants) get(ctx context.Context, key string) (*protocol.Grant, error) {
	value, err := g.Bucket.Get(ctx, key)
	if value == nil || err != nil {
		return nil, err
	}
	return g.read(key, value)
}

// put stores a grant and replaces an older one for the same subject. The hosts of the
// older one are kept: each was shown to the person.
func (g *Grants) put(ctx context.Context, grant protocol.Grant) error {
	old, err := g.get(ctx, keyOf(&grant))
	if err != nil {
		return err
	}
	if old != nil && !old.Deny && !grant.Deny && old.ProgramRun == grant.ProgramRun && old.Scopes != nil && grant.Scopes != nil {
		scopes := *grant.Scopes
		scopes.Hosts = joinHosts(old.Scopes.Hosts, scopes.Hosts)
		grant.Scopes = &scopes
	}
	value, err := g.seal(grant)
	if err != nil {
		return err
	}
	return g.Bucket.Put(ctx, keyOf(&grant), value)
}

// maxHosts bounds the hosts of one grant; the oldest are dropped first.
const maxHosts = 200

// joinHosts returns the hosts of an older grant and those of a newer one. A newer grant
// that names hosts is not widened to all of them.
func joinHosts(old, now []string) []string {
	if len(old) == 0 || len(now) == 0 || slices.Contains(old, "*") || slices.Contains(now, "*") {
		return now
	}
	all := slices.Clone(now)
	for _, host := range slices.Backward(old) {
		if !slices.Contains(all, host) && len(all) < maxHosts {
			all = append(all, host)
		}
	}
	return all
}

// List returns a tenant's grants, or with a user that user's, sorted by subject.
func (g *Grants) List(ctx context.Context, tenant, user string) ([]protocol.Grant, error) {
	below := tenant
	if user != "" {
		below += "." + user
	}
	list := []protocol.Grant{}
	err := g.Bucket.LoadBelow(ctx, below, func(key string, value []byte) {
		if grant, err := g.read(key, value); grant != nil && err == nil {
			list = append(list, *grant)
		}
	})
	slices.SortFunc(list, func(a, b protocol.Grant) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(keyOf(&a), keyOf(&b)))
	})
	return list, err
}

// find returns the grant with that ID, or nil.
func (g *Grants) find(ctx context.Context, tenant, id string) (*protocol.Grant, error) {
	list, err := g.List(ctx, tenant, "")
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(grant protocol.Grant) bool { return grant.ID == id }); i >= 0 {
		return &list[i], nil
	}
	return nil, nil
}

func keyOf(g *protocol.Grant) string {
	return grantKey(g.Tenant, g.User, g.Conversation, Subject{g.Permission, g.Tool, g.Program, len(g.Tools) > 0})
}

// grantKey returns the key of a grant; tenant and user come first, so that the grants
// of one person are adjacent. Names of permissions and tools may contain dots.
func grantKey(tenant, user, conversation string, s Subject) string {
	kind, name := "permission", s.Permission
	if s.Tool != "" {
		kind, name = "tool", s.Tool
	}
	if s.Plan {
		kind, name = "plan", "tools"
	}
	term := "always"
	switch {
	case s.Program != "": // keys have no tilde
		term = "program." + strings.ReplaceAll(s.Program, "~", "=")
	case conversation != "":
		term = "session." + conversation
	}
	return tenant + "." + user + "." + kind + "." + term + "." + name
}

// newGrant returns the grant for one subject of r that follows from v.
func newGrant(r *protocol.Consent, v *protocol.Verdict, s Subject) protocol.Grant {
	grant := protocol.Grant{
		Tenant: r.Tenant, User: r.User, Permission: s.Permission, Tool: s.Tool, Program: s.Program,
		Deny: v.Status == protocol.DeniedConsent, By: v.By, At: v.At, ConsentID: r.ID,
	}
	if v.Remember == protocol.RememberSession && !grant.Deny {
		grant.Conversation = r.Conversation
	}
	if s.Tool != "" && !grant.Deny {
		scopes := r.Scopes
		if len(r.Hosts) > 0 {
			scopes.Hosts = r.Hosts
		}
		grant.Scopes = &scopes
	}
	grant.ID = "g-" + short(keyOf(&grant))
	return grant
}

// subjectsOf returns the subjects of a remembered verdict: the requested permissions,
// or else the tool.
func subjectsOf(r *protocol.Consent) []Subject {
	if r.Kind == protocol.ConsentAccount {
		return []Subject{AccountOf(r.Service)}
	}
	var all []Subject
	for _, p := range r.Permissions {
		all = append(all, Subject{Permission: p})
	}
	if r.ForTool || len(all) == 0 {
		all = append(all, Subject{Tool: cmp.Or(r.Subject, r.Tool)})
	}
	return all
}
