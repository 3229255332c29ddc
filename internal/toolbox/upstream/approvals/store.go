package approvals

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/tool"
)

// Bucket stores the approvals.
type Bucket interface {
	Create(ctx context.Context, key string, value []byte) error
	Replace(ctx context.Context, key string, old, value []byte) error
	Get(ctx context.Context, key string) ([]byte, error)
	Load(ctx context.Context, have func(key string, value []byte)) error
	Follow(ctx context.Context, change func(key string, value []byte)) error
}

var _ Bucket = (*natsio.Bucket)(nil)

// Approval is the accepted definitions of a tool, under the tool's name.
type Approval struct {
	Server string `json:"server"`
	// Upstream is the tool's name on the server.
	Upstream string `json:"upstream"`
	// Accepted are the hashes of accepted definitions, newest last. There may be
	// several, because workers do not all update their servers at the same time.
	Accepted []string `json:"accepted"`
	// Definition was accepted last, By is the person who accepted it ("first use" for
	// none), and At the time.
	Definition json.RawMessage `json:"definition,omitempty"`
	By         string          `json:"by,omitempty"`
	At         time.Time       `json:"at,omitzero"`
	// Seen is a definition that waits for an operator. While there is one, the tool is
	// withheld.
	Seen *Sighting `json:"seen,omitempty"`
}

// Sighting is a definition that a worker saw and that was not accepted.
type Sighting struct {
	Hash       string          `json:"hash"`
	Definition json.RawMessage `json:"definition"`
	Worker     string          `json:"worker"`
	At         time.Time       `json:"at"`
}

// Needed reports whether definitions of tools of a kind are offered only once they were
// accepted. Such a tool is registered as disabled while it is withheld.
func Needed(kind string) bool { return kind == tool.KindMCP || kind == tool.KindOpenAPI }

// Open reports whether a definition may be offered.
func (p *Approval) Open(hash string) bool {
	return p != nil && p.Seen == nil && slices.Contains(p.Accepted, hash)
}

// Withheld returns the error for a call of a tool without an accepted definition.
func Withheld(name string) *tool.Error {
	return tool.Fail(tool.ToolNotAvailable,
		"'%s' is withheld: an operator has not accepted the definition that its MCP server or API document has now; "+
			"they look at it with 'helve upstream show %s' and accept it with 'helve upstream accept %s'",
		name, name, name)
}

const (
	firstUse    = "first use"
	maxAccepted = 8
	races       = 5
)

// Offer is a definition that a worker sees.
type Offer struct {
	// Tool is its name here, Upstream its name on the server Server.
	Tool, Server, Upstream string
	// Definition is the server's definition, and Hash its hash.
	Definition json.RawMessage
	Hash       string
	// Review requires an operator to accept even the first definition of a tool.
	Review bool
}

// Store is a worker's copy of the approvals.
type Store struct {
	bucket Bucket
	worker string
	log    *zap.Logger

	mu    sync.Mutex
	known map[string]*Approval
	// changes counts the changes of each tool's approval that the bucket reported.
	changes map[string]int
}

// Follow returns when all stored approvals have been read. Changed is called for each tool
// whose approval is read, then and later, until ctx ends.
func Follow(ctx context.Context, bucket Bucket, worker string, log *zap.Logger, changed func()) (*Store, error) {
	s := &Store{bucket: bucket, worker: worker, log: log, known: map[string]*Approval{}, changes: map[string]int{}}
	return s, bucket.Follow(ctx, func(key string, value []byte) {
		s.take(key, value, reported)
		changed()
	})
}

// reported marks an approval that the bucket reported: it replaces every other.
const reported = -1

// take stores an approval in memory. An approval that was read or written after a number of
// changes is older than those the bucket has reported since, and does not replace them.
// An unreadable approval accepts nothing.
func (s *Store) take(name string, value []byte, after int) {
	approval := new(Approval)
	if value != nil {
		if err := json.Unmarshal(value, approval); err != nil {
			s.log.Error("stored approval not readable; its tool is withheld", zap.String("tool", name), zap.Error(err))
			approval = new(Approval)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if after == reported {
		s.changes[name]++
	} else if after != s.changes[name] {
		return
	}
	if value == nil {
		delete(s.known, name)
		return
	}
	s.known[name] = approval
}

// Of returns the approval of a tool, or nil.
func (s *Store) Of(name string) *Approval {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[name]
}

// changed returns the number of changes of an approval that the bucket reported.
func (s *Store) changed(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes[name]
}

// See compares an offer with its approval and returns the approval. The first definition
// of a tool is accepted, unless an operator must review it; a different definition is
// stored for an operator. If that cannot be stored, See returns an error, and nothing is
// offered.
func (s *Store) See(ctx context.Context, o Offer) (*Approval, error) {
	if approval := s.Of(o.Tool); approval != nil && !s.news(approval, o) {
		return approval, nil
	}
	for range races {
		after := s.changed(o.Tool)
		old, err := s.bucket.Get(ctx, o.Tool)
		if err != nil {
			return nil, err
		}
		var approval *Approval
		if old != nil {
			approval = new(Approval)
			if err := json.Unmarshal(old, approval); err != nil {
				return nil, err
			}
		}
		if approval != nil && !s.news(approval, o) {
			s.take(o.Tool, old, after)
			return approval, nil
		}
		approval = s.next(approval, o)
		value, err := s.store(ctx, o.Tool, old, approval)
		if err == nil {
			s.take(o.Tool, value, after)
			if approval.Seen != nil {
				s.log.Warn("tool definition not accepted; it is withheld until `helve upstream accept`",
					zap.String("tool", o.Tool), zap.String("server", o.Server), zap.String("hash", o.Hash), zap.Strings("accepted", approval.Accepted))
			}
			return approval, nil
		}
		if !errors.Is(err, natsio.ErrExists) {
			return nil, err
		}
	}
	return nil, natsio.ErrExists
}

// news reports whether an offer changes its approval.
func (s *Store) news(approval *Approval, o Offer) bool {
	if slices.Contains(approval.Accepted, o.Hash) {
		return approval.Seen != nil && approval.Seen.Worker == s.worker // the definition that this worker saw is gone again
	}
	return approval.Seen == nil || approval.Seen.Hash != o.Hash
}

func (s *Store) next(approval *Approval, o Offer) *Approval {
	now := time.Now().UTC()
	seen := &Sighting{Hash: o.Hash, Definition: o.Definition, Worker: s.worker, At: now}
	switch {
	case approval == nil && !o.Review:
		return &Approval{Server: o.Server, Upstream: o.Upstream, Accepted: []string{o.Hash}, Definition: o.Definition, By: firstUse, At: now}
	case approval == nil:
		return &Approval{Server: o.Server, Upstream: o.Upstream, Accepted: []string{}, Seen: seen}
	case slices.Contains(approval.Accepted, o.Hash):
		seen = nil
	}
	approval.Seen = seen
	return approval
}

func (s *Store) store(ctx context.Context, name string, old []byte, approval *Approval) ([]byte, error) {
	value, err := json.Marshal(approval)
	switch {
	case err != nil:
		return nil, err
	case bytes.Equal(old, value):
		return value, nil
	case old == nil:
		return value, s.bucket.Create(ctx, name, value)
	}
	return value, s.bucket.Replace(ctx, name, old, value)
}
