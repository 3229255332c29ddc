package programs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/durable"
)

// lenient replaces invalid UTF-8 in what code and tools wrote rather than losing it.
var lenient = jsontext.AllowInvalidUTF8(true)

// Store stores programs and their journals.
type Store struct {
	conn   *natsio.Conn
	tree   subject.Tree
	bucket *natsio.Bucket
}

// Open returns the programs of a queue.
func Open(ctx context.Context, q *queue.Queue) (*Store, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketPrograms)
	return &Store{conn: q.Conn, tree: q.Conn.Tree(), bucket: bucket}, err
}

// Key identifies a program.
type Key struct{ Tenant, CallID string }

// name returns the key in the bucket, whose keys may not have a tilde.
func (k Key) name() string { return k.Tenant + "." + strings.ReplaceAll(k.CallID, "~", "=") }

func keyOf(name string) Key {
	tenant, id, _ := strings.Cut(name, ".")
	return Key{tenant, strings.ReplaceAll(id, "=", "~")}
}

// Create stores a program that is not stored. [natsio.ErrExists] means that it is.
func (s *Store) Create(ctx context.Context, k Key, p *durable.Program) error {
	return s.write(ctx, k, p, 0, 0)
}

// Change stores the next state of a program in place of a revision, and returns the new
// revision. [natsio.ErrExists] means that it has another one.
func (s *Store) Change(ctx context.Context, k Key, p *durable.Program, revision uint64) error {
	return s.write(ctx, k, p, revision, 0)
}

// End is [Store.Change] for a program that has ended, which is shown for a time.
func (s *Store) End(ctx context.Context, k Key, p *durable.Program, revision uint64) error {
	return s.write(ctx, k, p, revision, streams.ProgramShown)
}

func (s *Store) write(ctx context.Context, k Key, p *durable.Program, revision uint64, ttl time.Duration) error {
	p.ChangedMS = max(time.Now().UnixMilli(), p.ChangedMS) // the clock of another dispatcher may be ahead
	data, err := json.Marshal(p, lenient)
	if err != nil {
		return err
	}
	return s.bucket.PutAt(ctx, k.name(), data, revision, ttl)
}

// Read returns a program and its revision; nil if it is not stored.
func (s *Store) Read(ctx context.Context, k Key) (*durable.Program, uint64, error) {
	data, revision, err := s.bucket.GetRevision(ctx, k.name())
	if data == nil || err != nil {
		return nil, revision, err
	}
	p, err := decode(data)
	if err != nil {
		return nil, 0, fmt.Errorf("program %s: %w", k.CallID, err)
	}
	return p, revision, nil
}

func decode(data []byte) (*durable.Program, error) {
	p := new(durable.Program)
	if err := json.Unmarshal(data, p, lenient); err != nil {
		return nil, err
	}
	if p.Call == nil {
		return nil, errors.New("it has no call")
	}
	return p, nil
}

// Follow calls each for every program there is, and then for each change, until ctx ends; a
// nil program was removed. It returns after those that were there.
func (s *Store) Follow(ctx context.Context, each func(k Key, p *durable.Program)) error {
	return s.bucket.Follow(ctx, func(name string, value []byte) {
		if value == nil {
			each(keyOf(name), nil)
			return
		}
		if p, err := decode(value); err == nil {
			each(keyOf(name), p)
		}
	})
}

// RemoveJournal removes the journal of a program.
func (s *Store) RemoveJournal(ctx context.Context, k Key) error {
	return natsio.Purge(ctx, s.conn, streams.Programs, s.journal(k))
}

// Remove removes a program with its journal.
func (s *Store) Remove(ctx context.Context, k Key) error {
	if err := s.RemoveJournal(ctx, k); err != nil {
		return err
	}
	return s.bucket.Forget(ctx, k.name())
}

func (s *Store) journal(k Key) string { return s.tree.Of(k.Tenant, "journal", k.CallID) }

// Append stores the entry of p's journal that follows the entry at last, 0 for the first, and
// returns its place. [natsio.ErrExists] means that another entry follows it.
func (s *Store) Append(ctx context.Context, k Key, p *durable.Program, e *durable.Entry, last uint64) (place uint64, size int, err error) {
	e.Proof = p.Proof()
	data, err := json.Marshal(e, lenient)
	if err != nil {
		return 0, 0, err
	}
	place, err = natsio.Append(ctx, s.conn, &nats.Msg{Subject: s.journal(k), Data: data}, last)
	return place, len(data), err
}

// readBatch is the number of entries that are read at a time.
const readBatch = 256

// Journal calls each for the entries of p's journal, in order, and returns the place of the last.
// Entries without the proof of its key are passed over: they are forged, or of an earlier program.
func (s *Store) Journal(ctx context.Context, k Key, p *durable.Program, each func(*durable.Entry) error) (last uint64, err error) {
	proof := p.Proof()
	w := natsio.Walk{Conn: s.conn, Stream: streams.Programs, Filter: s.journal(k), Next: 1, Batch: readBatch}
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		e := new(durable.Entry)
		last = meta.Sequence.Stream
		if json.Unmarshal(msg.Data, e, lenient) == nil && e.Proof == proof {
			return each(e)
		}
		return nil
	}
	return last, w.Run(ctx)
}
