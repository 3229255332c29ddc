package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Stored is the outcome of a call that was committed: a result, or the error that keeps
// every other attempt of the call from committing.
type Stored struct {
	Result tool.Result
	Err    *tool.Error
	// Attempt is the attempt that committed it.
	Attempt int
}

// storedResult is the form of a result in the database.
type storedResult struct {
	Value     json.RawMessage    `json:"value"`
	Text      string             `json:"text,omitempty"`
	Truncated bool               `json:"truncated,omitempty"`
	Notes     []string           `json:"notes,omitempty"`
	Files     []tool.WrittenFile `json:"files,omitempty"`
	Metadata  map[string]any     `json:"metadata,omitempty"`
	Error     *storedError       `json:"error,omitempty"`
}

type storedError struct {
	Kind    tool.Kind `json:"kind"`
	Message string    `json:"message"`
}

// Stored returns the result of a call that was committed; nil if there is none.
func (s *Store) Stored(ctx context.Context, tenant, user, callID string) (*Stored, error) {
	p := person{tenant, cmp.Or(user, Nobody)}
	var found *Stored
	err := s.persist(ctx, func() error {
		found = nil
		return s.db.rows(ctx, p, func(scan func(...any) error) error {
			var raw []byte
			var r storedResult
			f := &Stored{}
			if err := scan(&f.Attempt, &raw); err != nil {
				return err
			}
			if err := json.Unmarshal(raw, &r); err != nil {
				return err
			}
			f.Result = tool.Result{Value: r.Value, Text: r.Text, Truncated: r.Truncated, Notes: r.Notes, Files: r.Files, Metadata: r.Metadata}
			if r.Error != nil {
				f.Result, f.Err = tool.Result{}, tool.Fail(r.Error.Kind, "%s", r.Error.Message)
			}
			found = f
			return nil
		}, `SELECT attempt, result FROM store_call WHERE tenant = ? AND call_id = ? AND person = ?`, p.tenant, callID, p.name)
	})
	return found, storeError(err)
}

// Refuse stores that a call ends in an error, so that no attempt of it commits anything
// afterwards, also an attempt that is running. If an attempt was first, Refuse returns its
// outcome. Other errors mean that neither is known.
func (s *Store) Refuse(ctx context.Context, tenant, user, callID string, attempt int, reason *tool.Error) (*Stored, error) {
	result, err := json.Marshal(storedResult{Value: json.RawMessage("null"), Error: &storedError{reason.Kind, reason.Msg}})
	if err != nil {
		return nil, err
	}
	c := &commit{
		person:  person{tenant, cmp.Or(user, Nobody)},
		callID:  callID,
		attempt: attempt,
		expires: s.opts.Now().Add(s.opts.Keep).Unix(),
		result:  result,
	}
	err = s.persist(ctx, func() error { return s.db.commit(ctx, c) })
	if errors.Is(err, errDone) {
		return s.first(ctx, c)
	}
	return nil, storeError(err)
}

// first returns the outcome that another attempt has committed.
func (s *Store) first(ctx context.Context, c *commit) (*Stored, error) {
	stored, err := s.Stored(ctx, c.person.tenant, c.person.name, c.callID)
	if err == nil && stored == nil {
		err = fmt.Errorf("%w: the call's result is not readable", ErrUncertain)
	}
	return stored, err
}

// tidyEvery is the time between removals of expired results.
const tidyEvery = time.Minute

// tidy removes expired results, if that was not done lately. Its error is of no concern
// to the call: the next tidy tries again.
func (s *Store) tidy() {
	now := s.opts.Now()
	last := s.purged.Load()
	if now.Unix()-last < int64(tidyEvery/time.Second) || !s.purged.CompareAndSwap(last, now.Unix()) {
		return
	}
	s.tidies.Go(func() { s.purge(now) })
}
