// Package olddocuments moves the documents that workers of earlier releases kept in a
// key-value bucket into the store of personal data.
//
// # What it promises
//
// A document is removed from the bucket after it is stored, under its own id. A move that
// was interrupted is continued by the next one, and any number of workers may move the
// documents concurrently. Workers of an earlier release may run meanwhile: the results of their
// coding agents are moved when they come, and their running agents count among those of
// their persons.
//
// # What it does not promise
//
// A document that is not readable, or that the store does not take (no JSON object, a
// collection with another name than the store allows, a person without room), stays in the bucket until it expires.
package olddocuments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Bucket is the storage of documents: values by keys of words with dots between.
type Bucket interface {
	// Get returns the value of a key, nil if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	Forget(ctx context.Context, key string) error
	// Keys returns the keys that match pattern, in which * is any one word.
	Keys(ctx context.Context, pattern string) ([]string, error)
}

// Store takes the documents.
type Store interface {
	// Keep stores a document under its own id. A document that is stored under it is kept, or
	// replaced.
	Keep(ctx context.Context, tenant, user, collection string, row tool.Row, replace bool) error
}

// Moved counts the documents of a move.
type Moved struct {
	Documents int
	// Refused counts those that the store does not take.
	Refused int
	// Running counts the coding agents that run on workers of an earlier release.
	Running int
}

// slots is the collection of running coding agents.
const slots = "coding_slots"

// SlotLife is the time for which a running agent of an earlier release counts. Move must run
// again within it.
const SlotLife = time.Minute

// Move moves all documents of the bucket into the store.
func Move(ctx context.Context, b Bucket, s Store, now time.Time) (done Moved, err error) {
	// An agent releases its slot after its result is stored, so its result is among the
	// keys that are read after the slot is gone.
	running, err := b.Keys(ctx, "*.*."+slots+".*")
	if err != nil {
		return done, err
	}
	for _, key := range running {
		if err := countSlot(ctx, b, s, key, now); err != nil {
			return done, err
		}
		done.Running++
	}
	keys, err := b.Keys(ctx, "*.*.*.*")
	if err != nil {
		return done, err
	}
	for _, key := range keys {
		if strings.Split(key, ".")[2] == slots {
			continue
		}
		switch moved, err := move(ctx, b, s, key); {
		case refused(err):
			done.Refused++
		case err != nil:
			return done, fmt.Errorf("%s: %w", key, err)
		case moved:
			done.Documents++
		}
	}
	return done, nil
}

func refused(err error) bool {
	e, ok := errors.AsType[*tool.Error](err)
	return errors.Is(err, errUnreadable) || ok && (e.Kind == tool.ValidationError || e.Kind == tool.RateLimited)
}

// countSlot stores that an agent runs, for SlotLife.
func countSlot(ctx context.Context, b Bucket, s Store, key string, now time.Time) error {
	value, err := b.Get(ctx, key)
	if err != nil || value == nil { // it ended just now
		return err
	}
	words := strings.Split(key, ".")
	var old struct {
		Call string `json:"call"`
	}
	_ = json.Unmarshal(value, &old) // a slot without a call is one too
	doc, err := json.Marshal(map[string]string{"call": old.Call, "until": now.Add(SlotLife).UTC().Format(storedTime)})
	if err != nil {
		return err
	}
	err = s.Keep(ctx, words[0], words[1], slots, tool.Row{ID: "before-" + words[3], Doc: doc}, true)
	if refused(err) {
		return nil
	}
	return err
}

// storedTime is the form of times in documents of the store.
const storedTime = "2006-01-02T15:04:05.000000000Z"

// move moves a document, and reports whether there was one.
func move(ctx context.Context, b Bucket, s Store, key string) (bool, error) {
	words := strings.Split(key, ".")
	doc, err := join(ctx, b, key)
	if doc == nil || err != nil {
		return false, err
	}
	head, err := b.Get(ctx, key)
	if err != nil {
		return false, err
	}
	row := tool.Row{ID: words[3], Doc: doc}
	var dated struct {
		CreatedAt time.Time `json:"createdAt"`
	}
	if json.Unmarshal(doc, &dated) == nil { // else it is as old as its move
		row.CreatedAt = dated.CreatedAt
	}
	if err := s.Keep(ctx, words[0], words[1], words[2], row, false); err != nil {
		return false, err
	}
	if err := b.Forget(ctx, key); err != nil {
		return false, err
	}
	forgetParts(ctx, b, key, head)
	return true, nil
}
