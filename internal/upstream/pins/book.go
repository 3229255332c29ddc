package pins

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/tool"
)

// Bucket is where pins are stored.
type Bucket interface {
	Create(ctx context.Context, key string, value []byte) error
	Replace(ctx context.Context, key string, old, value []byte) error
	Get(ctx context.Context, key string) ([]byte, error)
	Load(ctx context.Context, have func(key string, value []byte)) error
	Follow(ctx context.Context, change func(key string, value []byte)) error
}

var _ Bucket = (*bus.Bucket)(nil)

// Pin is which definitions of a tool may be offered, under the tool's name.
type Pin struct {
	Server string `json:"server"`
	// Upstream is the tool's name as the server has it.
	Upstream string `json:"upstream"`
	// Accepted are the hashes that may be offered, the newest last. More than one:
	// workers do not all change their servers at once.
	Accepted []string `json:"accepted"`
	// Definition is what was accepted last, By whom ("first use" is nobody), and when.
	Definition json.RawMessage `json:"definition,omitempty"`
	By         string          `json:"by,omitempty"`
	At         time.Time       `json:"at,omitzero"`
	// Seen is a definition that waits for an operator. While there is one, the tool is
	// withheld.
	Seen *Sighting `json:"seen,omitempty"`
}

// Sighting is a definition that a worker saw and nobody has accepted.
type Sighting struct {
	Hash       string          `json:"hash"`
	Definition json.RawMessage `json:"definition"`
	Worker     string          `json:"worker"`
	At         time.Time       `json:"at"`
}

// Open reports whether a definition may be offered.
func (p *Pin) Open(hash string) bool {
	return p != nil && p.Seen == nil && slices.Contains(p.Accepted, hash)
}

// Withheld is how a call of a tool ends that has no accepted definition.
func Withheld(name string) *tool.Error {
	return tool.Fail(tool.ToolNotAvailable, "'%s' is withheld: an operator has not accepted the definition that its MCP server has now; they look at it with 'helve upstream show %s' and accept it with 'helve upstream accept %s'", name, name, name)
}

const (
	firstUse    = "first use"
	maxAccepted = 8
	races       = 5
)

// Offer is a definition that a worker sees.
type Offer struct {
	// Tool is its name, Upstream the one that the server Server has for it.
	Tool, Server, Upstream string
	// Definition is what the server says of it, and Hash that of it.
	Definition json.RawMessage
	Hash       string
	// Review wants an operator to accept it also when nobody has seen the tool yet.
	Review bool
}

// Book is the pins as one worker knows them.
type Book struct {
	bucket Bucket
	worker string
	log    *zap.Logger

	mu    sync.Mutex
	known map[string]*Pin
}

// Follow returns when all that is stored now is known. Changed is called for each tool
// whose pin is read, then and later, until ctx ends.
func Follow(ctx context.Context, bucket Bucket, worker string, log *zap.Logger, changed func()) (*Book, error) {
	p := &Book{bucket: bucket, worker: worker, log: log, known: map[string]*Pin{}}
	return p, bucket.Follow(ctx, func(key string, value []byte) {
		p.take(key, value)
		changed()
	})
}

// take keeps what is stored. What cannot be read opens nothing.
func (p *Book) take(name string, value []byte) {
	pin := new(Pin)
	if value != nil {
		if err := json.Unmarshal(value, pin); err != nil {
			p.log.Error("a stored pin is not readable; its tool is withheld", zap.String("tool", name), zap.Error(err))
			pin = new(Pin)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if value == nil {
		delete(p.known, name)
		return
	}
	p.known[name] = pin
}

// Of is the pin of a tool, nil if it has none.
func (p *Book) Of(name string) *Pin {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[name]
}

// See holds an offer against its pin and returns that pin. One that nobody has seen is
// pinned; one that differs is put down for an operator. Where that cannot be stored the
// error says so, and nothing is offered.
func (p *Book) See(ctx context.Context, o Offer) (*Pin, error) {
	if pin := p.Of(o.Tool); pin != nil && !p.news(pin, o) {
		return pin, nil
	}
	for range races {
		old, err := p.bucket.Get(ctx, o.Tool)
		if err != nil {
			return nil, err
		}
		var pin *Pin
		if old != nil {
			pin = new(Pin)
			if err := json.Unmarshal(old, pin); err != nil {
				return nil, err
			}
		}
		if pin != nil && !p.news(pin, o) {
			p.take(o.Tool, old)
			return pin, nil
		}
		pin = p.next(pin, o)
		value, err := p.store(ctx, o.Tool, old, pin)
		if err == nil {
			p.take(o.Tool, value)
			if pin.Seen != nil {
				p.log.Warn("the definition of an MCP server's tool is not accepted; it is withheld until `helve upstream accept`",
					zap.String("tool", o.Tool), zap.String("mcp_server", o.Server), zap.String("hash", o.Hash), zap.Strings("accepted", pin.Accepted))
			}
			return pin, nil
		}
		if !errors.Is(err, bus.ErrExists) {
			return nil, err
		}
	}
	return nil, bus.ErrExists
}

// news reports whether an offer changes its pin.
func (p *Book) news(pin *Pin, o Offer) bool {
	if slices.Contains(pin.Accepted, o.Hash) {
		return pin.Seen != nil && pin.Seen.Worker == p.worker // what this worker saw is gone again
	}
	return pin.Seen == nil || pin.Seen.Hash != o.Hash
}

func (p *Book) next(pin *Pin, o Offer) *Pin {
	now := time.Now().UTC()
	seen := &Sighting{Hash: o.Hash, Definition: o.Definition, Worker: p.worker, At: now}
	switch {
	case pin == nil && !o.Review:
		return &Pin{Server: o.Server, Upstream: o.Upstream, Accepted: []string{o.Hash}, Definition: o.Definition, By: firstUse, At: now}
	case pin == nil:
		return &Pin{Server: o.Server, Upstream: o.Upstream, Accepted: []string{}, Seen: seen}
	case slices.Contains(pin.Accepted, o.Hash):
		seen = nil
	}
	pin.Seen = seen
	return pin
}

func (p *Book) store(ctx context.Context, name string, old []byte, pin *Pin) ([]byte, error) {
	value, err := json.Marshal(pin)
	switch {
	case err != nil:
		return nil, err
	case bytes.Equal(old, value):
		return value, nil
	case old == nil:
		return value, p.bucket.Create(ctx, name, value)
	}
	return value, p.bucket.Replace(ctx, name, old, value)
}
