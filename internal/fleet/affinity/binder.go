package affinity

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet"
)

const (
	// Life is the time that an unused binding is kept.
	Life = 24 * time.Hour
	// renewAfter is the age of a binding above which its use stores it again.
	renewAfter = Life / 4
	// Told is the time after the move of a person in which results of calls that use files
	// carry a note.
	Told = time.Hour
	// most bounds the bindings. Further persons go to the worker that a hash
	// chooses, which changes when there are other workers.
	most = 200_000
	// tries bounds the attempts to write a binding that others write too.
	tries = 5
)

// nobody is the person of calls without a user.
const nobody = "_"

// Person names whose calls go to one worker of a pool.
type Person struct{ Tenant, User string }

func (p Person) key(pool string) string {
	if p.User == "" {
		p.User = nobody
	}
	return pool + "." + p.Tenant + "." + p.User
}

// Home is the worker that a person is bound to.
type Home struct {
	// Worker is its id, Lane the quick one of its lanes.
	Worker, Lane string
	// Moved is true while results tell of the move from a worker with other workspaces.
	Moved bool
}

// Put has a call go to the home, where it would otherwise go to a lane of the pool.
func (h Home) Put(e *call.Call, lane string) {
	e.Lane, e.Home, e.Rehomed = queue.InHome(h.Lane, lane), h.Worker, h.Moved
}

// binding is an entry of the bucket.
type binding struct {
	Worker    string `json:"worker"`
	Workspace string `json:"workspace"`
	// At is when it was stored, Moved when the person last came to another workspaces
	// directory; zero for never.
	At    time.Time `json:"at"`
	Moved time.Time `json:"moved,omitzero"`
}

// Homes knows which workers of a pool persons are bound to.
type Homes interface {
	Homes(pool string) []fleet.Worker
}

// Binder finds and writes bindings.
type Binder struct {
	bucket *natsio.Bucket
	homes  Homes
	// follows is true where known holds every binding.
	follows bool

	mu    sync.RWMutex
	known map[string]binding
}

// Open returns a binder that reads each binding when it is needed.
func Open(ctx context.Context, q *queue.Queue, homes Homes) (*Binder, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketAffinity)
	if err != nil {
		return nil, err
	}
	return &Binder{bucket: bucket, homes: homes}, nil
}

// Follow returns a binder that knows all bindings, and so reads none for a call. It
// follows them until ctx ends.
func Follow(ctx context.Context, q *queue.Queue, homes Homes) (*Binder, error) {
	d, err := Open(ctx, q, homes)
	if err != nil {
		return nil, err
	}
	d.follows, d.known = true, map[string]binding{}
	return d, d.bucket.Follow(ctx, d.change)
}

func (d *Binder) change(key string, value []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var bound binding
	if value == nil || json.Unmarshal(value, &bound) != nil || bound.Worker == "" {
		delete(d.known, key)
		return
	}
	d.known[key] = bound
}

// Home returns the worker that a person's calls of two tools go to; an empty name is a
// tool that any worker has. It returns false where no person is bound in the pool, or the
// person's worker lacks a tool.
func (d *Binder) Home(ctx context.Context, pool string, who Person, name, via string) (Home, bool, error) {
	homes := d.homes.Homes(pool)
	if len(homes) == 0 {
		return Home{}, false, nil
	}
	key := who.key(pool)
	d.mu.RLock()
	bound, ok := d.known[key]
	full := len(d.known) >= most
	d.mu.RUnlock()
	if ok && time.Since(bound.At) < renewAfter {
		if w := live(homes, bound.Worker); w != nil {
			return bound.home(w), w.Has(name, via), nil
		}
	}
	if !ok && full {
		w := choose(homes, key, "", name, via)
		return Home{Worker: w.ID, Lane: w.Home}, w.Has(name, via), nil
	}
	for range tries {
		value, revision, err := d.bucket.GetRevision(ctx, key)
		if err != nil {
			return Home{}, false, err
		}
		var before binding
		if value != nil && json.Unmarshal(value, &before) != nil {
			before = binding{}
		}
		next := before
		w := live(homes, before.Worker)
		if w != nil && time.Since(before.At) < renewAfter {
			d.learn(key, before)
			return before.home(w), w.Has(name, via), nil
		}
		if w == nil {
			w = choose(homes, key, before.Workspace, name, via)
			next.Worker, next.Workspace = w.ID, w.Workspace
			if before.Worker != "" && before.Workspace != w.Workspace {
				next.Moved = time.Now().UTC()
			}
		}
		next.At = time.Now().UTC()
		if value, err = json.Marshal(next); err != nil {
			return Home{}, false, err
		}
		err = d.bucket.PutAt(ctx, key, value, revision, Life)
		if errors.Is(err, natsio.ErrExists) {
			continue
		}
		if err != nil {
			return Home{}, false, err
		}
		d.learn(key, next)
		return next.home(w), w.Has(name, via), nil
	}
	return Home{}, false, natsio.ErrUnavailable
}

// learn keeps a binding before the bucket reports it.
func (d *Binder) learn(key string, bound binding) {
	if !d.follows {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[key].At.Before(bound.At) {
		d.known[key] = bound
	}
}

func (b *binding) home(w *fleet.Worker) Home {
	return Home{Worker: w.ID, Lane: w.Home, Moved: !b.Moved.IsZero() && time.Since(b.Moved) < Told}
}

func live(homes []fleet.Worker, id string) *fleet.Worker {
	for i := range homes {
		if homes[i].ID == id {
			return &homes[i]
		}
	}
	return nil
}

// choose returns the worker for a person without one: if possible a worker with the
// workspaces directory that the person's files are in, else with the tools. Of several
// it is the one with the highest hash for its slots, so that every process chooses alike.
func choose(homes []fleet.Worker, key, workspace, name, via string) *fleet.Worker {
	var best *fleet.Worker
	var most float64
	for i := range homes {
		w := &homes[i]
		h := fnv.New64a()
		_, _ = h.Write([]byte(key + "/" + w.ID))
		sum := h.Sum64()
		sum = (sum ^ sum>>33) * 0xff51afd7ed558ccd
		sum ^= sum >> 33
		score := float64(sum>>11) / (1 << 53) * float64(max(w.Slots, 1))
		if w.Has(name, via) {
			score += 1 << 40
		}
		if workspace != "" && w.Workspace == workspace {
			score += 1 << 41
		}
		if best == nil || score > most {
			best, most = w, score
		}
	}
	return best
}
