package consent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/bus"
)

// Grants are the decisions people made for longer than a call. They are read
// where they are stored, each time: a grant that was revoked holds no more when
// the revocation is acknowledged.
type Grants struct{ Bucket *bus.Bucket }

// Subject of a grant: a permission or a tool, by name.
type Subject struct{ Permission, Tool string }

// Standing is what is remembered about a subject.
type Standing int

// The standings. A refusal ("never ask") beats a grant.
const (
	Unknown Standing = iota
	Allowed
	Never
)

// Find returns what a user decided about a subject for all conversations, or
// for this one. The grant that says so is returned with it.
func (g *Grants) Find(ctx context.Context, tenant, user, conversation string, s Subject) (Standing, *Grant, error) {
	standing, found := Unknown, (*Grant)(nil)
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

func (g *Grants) get(ctx context.Context, key string) (*Grant, error) {
	value, err := g.Bucket.Get(ctx, key)
	if value == nil || err != nil {
		return nil, err
	}
	grant := new(Grant)
	if err := json.Unmarshal(value, grant); err != nil {
		return nil, fmt.Errorf("grant %s: %w", key, err)
	}
	return grant, nil
}

// put stores a grant, in place of an older one for the same.
func (g *Grants) put(ctx context.Context, grant Grant) error {
	value, err := json.Marshal(grant)
	if err != nil {
		return err
	}
	return g.Bucket.Put(ctx, grant.key(), value)
}

// List returns a tenant's grants, or with a user that user's, by what they are
// for.
func (g *Grants) List(ctx context.Context, tenant, user string) ([]Grant, error) {
	below := tenant
	if user != "" {
		below += "." + user
	}
	list := []Grant{}
	err := g.Bucket.LoadBelow(ctx, below, func(_ string, value []byte) {
		var grant Grant
		if json.Unmarshal(value, &grant) == nil {
			list = append(list, grant)
		}
	})
	slices.SortFunc(list, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.key(), b.key()))
	})
	return list, err
}

// find returns the grant of that id, nil if there is none.
func (g *Grants) find(ctx context.Context, tenant, id string) (*Grant, error) {
	list, err := g.List(ctx, tenant, "")
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(grant Grant) bool { return grant.GrantID == id }); i >= 0 {
		return &list[i], nil
	}
	return nil, nil
}

func (g Grant) key() string {
	return grantKey(g.Tenant, g.User, g.Conversation, Subject{g.Permission, g.Tool})
}

// grantKey is where a grant lies; tenant and user come first, so that those of
// one person lie together. Names of permissions and tools may hold dots.
func grantKey(tenant, user, conversation string, s Subject) string {
	kind, name := "permission", s.Permission
	if s.Tool != "" {
		kind, name = "tool", s.Tool
	}
	term := "always"
	if conversation != "" {
		term = "session." + conversation
	}
	return tenant + "." + user + "." + kind + "." + term + "." + name
}

// newGrant is what v says about one subject of r.
func newGrant(r *Request, v *Verdict, s Subject) Grant {
	grant := Grant{
		Tenant: r.Tenant, User: r.User, Permission: s.Permission, Tool: s.Tool,
		Deny: v.Status == Denied, By: v.By, At: v.At, ConsentID: r.ConsentID,
	}
	if v.Remember == Session && !grant.Deny {
		grant.Conversation = r.Conversation
	}
	if s.Tool != "" && !grant.Deny {
		grant.Scopes = &r.Scopes
	}
	grant.GrantID = "g-" + short(grant.key())
	return grant
}

// subjects are what a verdict that is remembered is about: the permissions that
// were asked for, or else the tool.
func (r *Request) subjects() []Subject {
	var all []Subject
	for _, p := range r.Permissions {
		all = append(all, Subject{Permission: p})
	}
	if r.ForTool || len(all) == 0 {
		all = append(all, Subject{Tool: cmp.Or(r.Subject, r.Tool)})
	}
	return all
}
