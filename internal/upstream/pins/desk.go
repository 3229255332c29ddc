package pins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/tool"
)

// Kind is what is wrong with what an operator asked.
type Kind string

// The kinds.
const (
	BadRequest Kind = "bad_request"
	NotFound   Kind = "not_found"
	Conflict   Kind = "conflict"
)

// Error is a request that was refused. Msg says what to do.
type Error struct {
	Kind Kind
	Msg  string
}

// Error implements error.
func (e *Error) Error() string { return e.Msg }

func refuse(kind Kind, format string, args ...any) *Error {
	return &Error{kind, fmt.Sprintf(format, args...)}
}

// The states of a tool: it may be offered, it changed since it was accepted, nobody has
// accepted it yet.
const (
	StateAccepted = "accepted"
	StateChanged  = "changed"
	StateNew      = "new"
)

// Entry is a tool as an operator is told of it.
type Entry struct {
	Tool   string `json:"tool"`
	Server string `json:"server"`
	// Upstream is its name as the server has it.
	Upstream string `json:"upstream"`
	State    string `json:"state"`
	// Accepted is the hash that was accepted last, By whom, and when.
	Accepted string    `json:"accepted,omitempty"`
	By       string    `json:"by,omitempty"`
	At       time.Time `json:"at,omitzero"`
	// Seen is the hash that waits, Worker who saw it, and when.
	Seen   string    `json:"seen,omitempty"`
	Worker string    `json:"worker,omitempty"`
	SeenAt time.Time `json:"seen_at,omitzero"`
	// Definition and SeenDefinition are what the hashes are of, where one tool was asked for.
	Definition     json.RawMessage `json:"definition,omitempty"`
	SeenDefinition json.RawMessage `json:"seen_definition,omitempty"`
}

// Desk is where operators look at definitions and accept them. Any dispatcher has one.
type Desk struct {
	Bucket Bucket
	// Record puts an acceptance on the audit trail; only then it holds.
	Record func(ctx context.Context, r *audit.Record) error
}

// List returns all tools, by name, or the one of that name with its definitions.
func (d *Desk) List(ctx context.Context, name string) ([]Entry, error) {
	if name != "" {
		pin, _, err := d.get(ctx, name)
		if err != nil {
			return nil, err
		}
		return []Entry{entryOf(name, pin, true)}, nil
	}
	entries := []Entry{}
	err := d.Bucket.Load(ctx, func(key string, value []byte) {
		pin := new(Pin)
		if json.Unmarshal(value, pin) == nil {
			entries = append(entries, entryOf(key, pin, false))
		}
	})
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Tool, b.Tool) })
	return entries, err
}

// systemTenant holds the records of what concerns every tenant.
const systemTenant = "default"

// Accept lets a definition be offered: the one with that hash, which must be the one
// that waits, or the one that was accepted last, to put aside what waits.
func (d *Desk) Accept(ctx context.Context, name, hash, by string) (Entry, error) {
	pin, old, err := d.get(ctx, name)
	if err != nil {
		return Entry{}, err
	}
	last := ""
	if n := len(pin.Accepted); n > 0 {
		last = pin.Accepted[n-1]
	}
	switch {
	case pin.Seen != nil && pin.Seen.Hash == hash:
		pin.Accepted = append(slices.DeleteFunc(pin.Accepted, func(h string) bool { return h == hash }), hash)
		pin.Accepted = pin.Accepted[max(0, len(pin.Accepted)-maxAccepted):]
		pin.Definition = pin.Seen.Definition
	case last == "" || last != hash:
		return Entry{}, refuse(Conflict, "the definition of %s that waits is not %.80q; look at it with `helve upstream show %s` and accept the hash it has now", name, hash, name)
	case pin.Seen == nil:
		return entryOf(name, pin, true), nil
	}
	pin.Seen, pin.By, pin.At = nil, by, time.Now().UTC()
	value, err := json.Marshal(pin)
	if err != nil {
		return Entry{}, err
	}
	if err := d.Record(ctx, &audit.Record{
		Phase: audit.UpstreamChanged, Tenant: systemTenant, Tool: name, By: by,
		Decision: &audit.Decision{Outcome: audit.Allowed}, Detail: fmt.Sprintf("the definition %s of the server %s was accepted", hash, pin.Server),
	}); err != nil {
		return Entry{}, err
	}
	if err := d.Bucket.Replace(ctx, name, old, value); err != nil {
		if errors.Is(err, bus.ErrExists) {
			return Entry{}, refuse(Conflict, "the definition of %s changed this moment; look at it again", name)
		}
		return Entry{}, err
	}
	return entryOf(name, pin, true), nil
}

func (d *Desk) get(ctx context.Context, name string) (*Pin, []byte, error) {
	if !tool.ValidName(name) { // a key is made of it
		return nil, nil, refuse(BadRequest, "%.80q is not the name of a tool", name)
	}
	value, err := d.Bucket.Get(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if value == nil {
		return nil, nil, refuse(NotFound, "no MCP server has had a tool %s; `helve upstream list` names those there were", name)
	}
	pin := new(Pin)
	return pin, value, json.Unmarshal(value, pin)
}

func entryOf(name string, p *Pin, whole bool) Entry {
	e := Entry{Tool: name, Server: p.Server, Upstream: p.Upstream, State: StateAccepted, By: p.By, At: p.At}
	if n := len(p.Accepted); n > 0 {
		e.Accepted = p.Accepted[n-1]
	}
	if p.Seen != nil {
		e.State, e.Seen, e.Worker, e.SeenAt = StateChanged, p.Seen.Hash, p.Seen.Worker, p.Seen.At
	}
	if len(p.Accepted) == 0 {
		e.State = StateNew
	}
	if whole {
		e.Definition = p.Definition
		if p.Seen != nil {
			e.SeenDefinition = p.Seen.Definition
		}
	}
	return e
}
