package api

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// office is the other side of every part of a gate: it keeps what it was asked.
type office struct {
	consents []protocol.Consent
	grants   []protocol.Grant
	fail     error
	revision string
	known    string

	filter   consent.Filter
	decision consent.Decision
	spec     consent.MintSpec
	query    audit.Query
	cursor   string
	limit    int
	by       identity.Principal
	calls    int
}

func (o *office) asked(by identity.Principal) error {
	o.calls++
	o.by = by
	return o.fail
}

type inbox struct{ *office }

func (o inbox) Revision(ctx context.Context, _, _, known string) string {
	o.known = known
	if known == "r1" {
		<-ctx.Done()
	}
	return o.revision
}

func (o inbox) List(_ context.Context, tenant string, f consent.Filter) ([]protocol.Consent, string, error) {
	o.filter = f
	return o.consents, "more-of-" + tenant, o.fail
}

func (o inbox) Get(_ context.Context, tenant, id string) (protocol.Consent, error) {
	i := slices.IndexFunc(o.consents, func(c protocol.Consent) bool { return c.ID == id && c.Tenant == tenant })
	if i < 0 {
		return protocol.Consent{}, &consent.Error{Kind: consent.NotFound, Msg: "no consent"}
	}
	return o.consents[i], nil
}

func (o inbox) Decide(ctx context.Context, tenant, id string, d consent.Decision, by identity.Principal) (protocol.Consent, error) {
	o.decision = d
	c, _ := o.Get(ctx, tenant, id)
	c.Status = protocol.GrantedConsent
	return c, o.asked(by)
}

type drawer struct{ *office }

func (o drawer) List(ctx context.Context, tenant, user string) ([]protocol.Grant, error) {
	o.by = identity.Of(ctx)
	var list []protocol.Grant
	for _, g := range o.grants {
		if g.Tenant == tenant && (user == "" || g.User == user) {
			list = append(list, g)
		}
	}
	return list, o.fail
}

func (o drawer) Revoke(_ context.Context, _, _ string, by identity.Principal) error {
	return o.asked(by)
}

type mint struct{ *office }

func (o mint) Mint(
	_ context.Context, _ string, spec consent.MintSpec, by identity.Principal,
) (token, tokenID string, expires time.Time, err error) {
	o.spec = spec
	return "v4.public.x", "tok1", time.Date(2026, 11, 20, 13, 0, 0, 0, time.FixedZone("", 3600)), o.asked(by)
}

type trail struct{ *office }

func (o trail) Query(_ context.Context, q audit.Query) (audit.Page, error) {
	o.query = q
	return audit.Page{Next: "7"}, o.fail
}

func (o trail) Verify(_ context.Context, tenant string, r audit.Range, index bool) (protocol.AuditReport, error) {
	o.query = audit.Query{Tenant: tenant}
	report := protocol.AuditReport{OK: true, Records: 3, SealedTo: 2, FromSeq: r.From, ToSeq: r.To}
	if index {
		report.Add(protocol.AuditProblem{Seq: 2, Kind: protocol.ProblemIndexExtra})
	}
	return report, o.fail
}

func (o trail) Rebuild(_ context.Context, tenant string) (report protocol.AuditReport, err error) {
	o.query = audit.Query{Tenant: tenant}
	report.Add(protocol.AuditProblem{Seq: 2, Kind: protocol.ProblemIndexExtra})
	return report, o.fail
}

func (o trail) Export(_ context.Context, tenant string, q audit.Query, cursor string, limit int) ([]json.RawMessage, string, error) {
	o.query, o.cursor, o.limit = q, cursor, limit
	return []json.RawMessage{[]byte(`{"seq":1, "x":"<é"}`), []byte(`broken` + "\x00")}, "next-of-" + tenant, o.fail
}

func (o trail) PublicKey(context.Context) ([]byte, error) {
	return []byte("-----BEGIN PUBLIC KEY-----\n"), o.fail
}

// gated returns a service with an office behind it, where ada's agent notes has
// asked for c1 and bob has a grant too.
func gated(t *testing.T) (*Service, *office) {
	t.Helper()
	o := &office{
		consents: []protocol.Consent{
			{ID: "c1", Status: protocol.PendingConsent, Tenant: "default", User: "ada", Agent: "notes", Tool: "delete_file"},
		},
		grants: []protocol.Grant{{ID: "g1", Tenant: "default", User: "ada"}, {ID: "g2", Tenant: "default", User: "bob"}},
	}
	s, _ := service(t, nil)
	s.Gate = Gate{Consents: inbox{o}, Grants: drawer{o}, Minter: mint{o}, Audit: trail{o}}
	return s, o
}

// as is a principal of the default tenant with a credential.
func as(user, agent string, roles ...identity.Role) identity.Principal {
	return identity.Principal{Tenant: "default", User: user, Agent: agent, Name: "key-1", Roles: roles}
}

// gateRequests are a request for each operation of the gate that is in order.
var gateRequests = map[string]Input{
	"consent.list":     {},
	"consent.get":      {Params: map[string]string{"consent_id": "c1"}},
	"consent.decide":   {Params: map[string]string{"consent_id": "c1"}, Body: []byte(`{"decision":"grant"}`)},
	"tokens.mint":      {Body: []byte(`{"user":"ada","trace_id":"` + someTrace + `","tools":["delete_file"]}`)},
	"grants.list":      {},
	"grants.revoke":    {Params: map[string]string{"grant_id": "g1"}},
	"audit.query":      {},
	"audit.verify":     {},
	"audit.rebuild":    {},
	"audit.export":     {},
	"audit.public_key": {},
}

func TestWithoutAGate(t *testing.T) {
	s, logs := service(t, nil)
	for op, in := range gateRequests {
		_, err := do(s, op, in)
		failure(t, err, "unavailable", 503, "this dispatcher has no")
	}
	if entries := logs.TakeAll(); len(entries) != 0 {
		t.Errorf("a part that is not there logs %v", entries)
	}
}

// TestGateFailures distinguishes errors that the caller may see from those for the log only.
func TestGateFailures(t *testing.T) {
	s, o := gated(t)
	for op, in := range gateRequests {
		o.fail = &consent.Error{Kind: consent.Conflict, Msg: "decided by bob"}
		if op == "consent.get" {
			in.Params = map[string]string{"consent_id": "other"}
			_, err := do(s, op, in)
			failure(t, err, "not_found", 404, "no consent")
			continue
		}
		_, err := do(s, op, in)
		failure(t, err, "conflict", 409, "decided by bob")
		o.fail = context.DeadlineExceeded
		_, err = do(s, op, in)
		failure(t, err, "unavailable", 503, "try again")
	}
}
