package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/tool"
)

// commit is all that one transaction stores for a unit.
type commit struct {
	person  person
	callID  string // empty for none
	attempt int
	expires int64 // in Unix seconds
	result  []byte
	changes []*change
	growth  usage // what the changes add
	bound   usage // 0 for none
}

// usage is the number of a person's documents and their size.
type usage struct{ documents, bytes int64 }

// limits returns the most that the person may have stored before the growth is added.
func (c *commit) limits() usage {
	limit := func(bound, growth int64) int64 {
		if bound <= 0 || growth <= 0 {
			return math.MaxInt64
		}
		return bound - growth
	}
	return usage{limit(c.bound.documents, c.growth.documents), limit(c.bound.bytes, c.growth.bytes)}
}

// errFull means that a commit would bring a person over the bounds.
var errFull = errors.New("the person has stored as much as is allowed")

// Commit stores the changes with the call's result, and returns nil; or the result of
// another attempt, which has committed the call before. A unit that has changed nothing
// stores nothing. Errors are [ErrStale], [ErrUncertain], or a [*tool.Error] after which
// nothing was changed.
func (u *Unit) Commit(ctx context.Context, res tool.Result) (*Stored, error) {
	c, err := u.prepare(res)
	if c == nil || err != nil {
		return nil, err
	}
	if err := failpoint.Hit(failpoint.StoreBeforeCommit); err != nil {
		return nil, unreachable(err)
	}
	err = u.s.persist(ctx, func() error { return u.s.db.commit(ctx, c) })
	if err == nil {
		u.s.tidy()
		if err = failpoint.Hit(failpoint.StoreAfterCommit); err != nil {
			return nil, ErrUncertain
		}
		return nil, nil
	}
	if errors.Is(err, errDone) {
		return u.s.first(ctx, c)
	}
	if errors.Is(err, errFull) {
		return nil, u.overfull(ctx, c)
	}
	if taken, ok := errors.AsType[*takenError](err); ok {
		return nil, taken.explain(c)
	}
	return nil, storeError(err)
}

// rank orders the changes of a commit: deletes, updates, inserts.
func (c *change) rank() int {
	switch {
	case c.revision == 0:
		return 0
	case c.base.revision != 0:
		return 1
	}
	return 2
}

// prepare returns the commit of the unit; nil if there is nothing to store.
func (u *Unit) prepare(res tool.Result) (*commit, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stale {
		return nil, ErrStale
	}
	c := &commit{
		person: u.person, callID: u.callID, attempt: u.attempt, expires: u.s.opts.Now().Add(u.s.opts.Keep).Unix(),
		bound: usage{u.s.opts.MaxDocuments, u.s.opts.MaxBytes},
	}
	for _, k := range u.order {
		ch := u.changes[k]
		isNew, gone := ch.base.revision == 0, ch.revision == 0
		switch {
		case isNew && gone:
			continue
		case isNew:
			c.growth.documents++
			c.growth.bytes += ch.size
		case gone:
			c.growth.documents--
			c.growth.bytes -= ch.base.size
		default:
			c.growth.bytes += ch.size - ch.base.size
		}
		c.changes = append(c.changes, ch)
	}
	if len(c.changes) == 0 {
		return nil, nil
	}
	// A unique value that a deleted document had is free for a new one.
	slices.SortStableFunc(c.changes, func(a, b *change) int { return cmp.Compare(a.rank(), b.rank()) })
	var err error
	c.result, err = json.Marshal(storedResult{
		Value:     res.Value,
		Text:      res.Text,
		Truncated: res.Truncated,
		Notes:     res.Notes,
		Files:     res.Files,
		Metadata:  res.Metadata,
	})
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError, "the tool returned a result that cannot be encoded as JSON").Because(err)
	}
	return c, nil
}
