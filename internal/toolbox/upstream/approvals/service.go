package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Kind is the machine-readable kind of a refused request.
type Kind string

// The kinds.
const (
	BadRequest Kind = "bad_request"
	NotFound   Kind = "not_found"
	Conflict   Kind = "conflict"
)

// Error is a refused request. Msg contains the remedy.
type Error struct {
	Kind Kind
	Msg  string
}

// Error implements error.
func (e *Error) Error() string { return e.Msg }

func refuse(kind Kind, format string, args ...any) *Error {
	return &Error{kind, fmt.Sprintf(format, args...)}
}

// Service is the operators' service to review and accept definitions. Any dispatcher has
// one.
type Service struct {
	Bucket Bucket
	// Record writes an acceptance to the audit trail; only then it takes effect.
	Record func(ctx context.Context, r *protocol.AuditRecord) error
}

// List returns all tools, sorted by name, or the tool of that name with its
// definitions.
func (s *Service) List(ctx context.Context, name string) ([]protocol.UpstreamTool, error) {
	if name != "" {
		approval, _, err := s.get(ctx, name)
		if err != nil {
			return nil, err
		}
		return []protocol.UpstreamTool{entryOf(name, approval, true)}, nil
	}
	entries := []protocol.UpstreamTool{}
	err := s.Bucket.Load(ctx, func(key string, value []byte) {
		approval := new(Approval)
		if json.Unmarshal(value, approval) == nil {
			entries = append(entries, entryOf(key, approval, false))
		}
	})
	slices.SortFunc(entries, func(a, b protocol.UpstreamTool) int { return strings.Compare(a.Tool, b.Tool) })
	return entries, err
}

// systemTenant is the tenant of records that concern all tenants.
const systemTenant = "default"

// Accept accepts the definition with that hash, which must be the pending one, or the
// last accepted one, which discards the pending one.
func (s *Service) Accept(ctx context.Context, name, hash, by string) (protocol.UpstreamTool, error) {
	approval, old, err := s.get(ctx, name)
	if err != nil {
		return protocol.UpstreamTool{}, err
	}
	last := ""
	if n := len(approval.Accepted); n > 0 {
		last = approval.Accepted[n-1]
	}
	switch {
	case approval.Seen != nil && approval.Seen.Hash == hash:
		approval.Accepted = append(slices.DeleteFunc(approval.Accepted, func(h string) bool { return h == hash }), hash)
		approval.Accepted = approval.Accepted[max(0, len(approval.Accepted)-maxAccepted):]
		approval.Definition = approval.Seen.Definition
	case last == "" || last != hash:
		return protocol.UpstreamTool{}, refuse(Conflict,
			"the definition of %s that waits is not %.80q; look at it with `helve upstream show %s` and accept the hash it has now",
			name, hash, name)
	case approval.Seen == nil:
		return entryOf(name, approval, true), nil
	}
	approval.Seen, approval.By, approval.At = nil, by, time.Now().UTC()
	value, err := json.Marshal(approval)
	if err != nil {
		return protocol.UpstreamTool{}, err
	}
	if err := s.Record(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditUpstreamChanged, Tenant: systemTenant, Tool: name, By: by,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed},
		Detail:   fmt.Sprintf("the definition %s of the server %s was accepted", hash, approval.Server),
	}); err != nil {
		return protocol.UpstreamTool{}, err
	}
	if err := s.Bucket.Replace(ctx, name, old, value); err != nil {
		if errors.Is(err, natsio.ErrExists) {
			return protocol.UpstreamTool{}, refuse(Conflict, "the definition of %s changed this moment; look at it again", name)
		}
		return protocol.UpstreamTool{}, err
	}
	return entryOf(name, approval, true), nil
}

func (s *Service) get(ctx context.Context, name string) (*Approval, []byte, error) {
	if !tool.ValidName(name) { // the key contains it
		return nil, nil, refuse(BadRequest, "%.80q is not the name of a tool", name)
	}
	value, err := s.Bucket.Get(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if value == nil {
		return nil, nil, refuse(NotFound, "no MCP server or API document has had a tool %s; `helve upstream list` names those there were", name)
	}
	approval := new(Approval)
	return approval, value, json.Unmarshal(value, approval)
}

func entryOf(name string, p *Approval, whole bool) protocol.UpstreamTool {
	e := protocol.UpstreamTool{Tool: name, Server: p.Server, Name: p.Upstream, State: protocol.UpstreamAccepted, By: p.By, At: p.At}
	if n := len(p.Accepted); n > 0 {
		e.Accepted = p.Accepted[n-1]
	}
	if p.Seen != nil {
		e.State, e.Seen, e.Worker, e.SeenAt = protocol.UpstreamChanged, p.Seen.Hash, p.Seen.Worker, p.Seen.At
	}
	if len(p.Accepted) == 0 {
		e.State = protocol.UpstreamNew
	}
	if whole {
		e.Definition = p.Definition
		if p.Seen != nil {
			e.SeenDefinition = p.Seen.Definition
		}
	}
	return e
}
