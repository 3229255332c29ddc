// Package documents keeps the documents that tools store for a person
// ([tool.Documents]) in a key-value bucket, where every worker finds them.
//
// # What it promises
//
// A document is read whole or not at all: also one that is larger than a message,
// while another is put in its place. Of two who create the same id, one does. What
// a tenant's user stores can be named by that user only; names that could mean
// anything else are refused before the bucket is asked. A document is gone when its
// time is over, within some seconds, and nothing of it remains.
//
// # What it does not promise
//
// The calls that name no user share those of the user "_", as they share a
// workspace. Of two that put the same id at once the one that is stored last
// stays; parts of the other may lie unused until their time is over. Nothing is
// encrypted.
package documents

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Bucket is where documents are stored: values by keys of words with dots between,
// each for a time of its own.
type Bucket interface {
	// Get returns the value of a key, nil if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	PutFor(ctx context.Context, key string, value []byte, ttl time.Duration) error
	// CreateFor stores a value unless the key has one: false then.
	CreateFor(ctx context.Context, key string, value []byte, ttl time.Duration) (bool, error)
	Forget(ctx context.Context, key string) error
	// Keys returns the keys that fit pattern, in which * is any one word.
	Keys(ctx context.Context, pattern string) ([]string, error)
}

// Documents hands out what users stored. It is safe for concurrent use.
type Documents struct{ bucket Bucket }

// New returns the documents of a bucket.
func New(b Bucket) *Documents { return &Documents{b} }

var name = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// For returns the documents of a user, or with an empty user those that the
// tenant's anonymous calls share (they are user "_"). A name that is not 1 to 64
// letters, digits, "_" or "-" is a validation_error.
func (d *Documents) For(tenant, user string) (tool.Documents, error) {
	if user == "" {
		user = "_"
	}
	for _, n := range []string{tenant, user} {
		if !name.MatchString(n) {
			return nil, tool.Fail(tool.ValidationError, "tenant and user must match %s", name)
		}
	}
	return &shelf{d.bucket, tenant + "." + user + "."}, nil
}

// The bounds of a document and of its time.
const (
	maxSize = 2 << 20
	minTTL  = time.Second
	maxTTL  = 10 * 365 * 24 * time.Hour
)

// patience is how long one operation may take, however much time its call has: a
// bucket that does not answer must not hold a worker's slot for half an hour.
const patience = 15 * time.Second

// shelf is the documents of one user.
type shelf struct {
	bucket Bucket
	prefix string
}

// Create implements [tool.Documents].
func (s *shelf) Create(ctx context.Context, collection, id string, doc json.RawMessage, ttl time.Duration) (bool, error) {
	key, err := s.place(collection, id, doc, &ttl)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	head, err := s.split(ctx, key, doc, ttl)
	if err != nil {
		return false, failure(ctx, err)
	}
	created, err := s.bucket.CreateFor(ctx, key, head, ttl)
	if err == nil && !created { // after an error it may be stored, and needs them
		s.forgetParts(ctx, key, head)
	}
	return created, failure(ctx, err)
}

// Put implements [tool.Documents].
func (s *shelf) Put(ctx context.Context, collection, id string, doc json.RawMessage, ttl time.Duration) error {
	key, err := s.place(collection, id, doc, &ttl)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	old, err := s.bucket.Get(ctx, key)
	if err != nil {
		return failure(ctx, err)
	}
	head, err := s.split(ctx, key, doc, ttl)
	if err != nil {
		return failure(ctx, err)
	}
	if err := s.bucket.PutFor(ctx, key, head, ttl); err != nil {
		return failure(ctx, err) // it may be stored for all that, and needs its parts
	}
	s.forgetParts(ctx, key, old)
	return nil
}

// Get implements [tool.Documents].
func (s *shelf) Get(ctx context.Context, collection, id string) (json.RawMessage, error) {
	key, err := s.key(collection, id)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	doc, err := s.join(ctx, key)
	return doc, failure(ctx, err)
}

// Delete implements [tool.Documents].
func (s *shelf) Delete(ctx context.Context, collection, id string) error {
	key, err := s.key(collection, id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	old, err := s.bucket.Get(ctx, key)
	if err != nil || old == nil {
		return failure(ctx, err)
	}
	if err := s.bucket.Forget(ctx, key); err != nil {
		return failure(ctx, err)
	}
	s.forgetParts(ctx, key, old)
	return nil
}

// List implements [tool.Documents].
func (s *shelf) List(ctx context.Context, collection string) ([]string, error) {
	if !name.MatchString(collection) {
		return nil, misnamed("collection")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	keys, err := s.bucket.Keys(ctx, s.prefix+collection+".*")
	if err != nil {
		return nil, failure(ctx, err)
	}
	ids := make([]string, len(keys))
	for i, key := range keys {
		ids[i] = key[strings.LastIndexByte(key, '.')+1:]
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil // one that changes meanwhile is told twice
}

func (s *shelf) key(collection, id string) (string, error) {
	switch {
	case !name.MatchString(collection):
		return "", misnamed("collection")
	case !name.MatchString(id):
		return "", misnamed("id")
	}
	return s.prefix + collection + "." + id, nil
}

// place is the key of a document that can be stored, and rounds its time up to
// the whole seconds that the bucket keeps.
func (s *shelf) place(collection, id string, doc json.RawMessage, ttl *time.Duration) (string, error) {
	key, err := s.key(collection, id)
	switch {
	case err != nil:
		return "", err
	case *ttl < minTTL || *ttl > maxTTL:
		return "", tool.Fail(tool.Internal, "A document was to be kept for %s; from 1s to 10 years is possible.", *ttl)
	case len(doc) > maxSize:
		return "", tool.Fail(tool.ValidationError, "What is to be kept has %d bytes as JSON; at most %d can be.", len(doc), maxSize)
	case !json.Valid(doc):
		return "", tool.Fail(tool.Internal, "What was to be kept is not JSON.")
	}
	*ttl = (*ttl + time.Second - 1).Truncate(time.Second)
	return key, nil
}

func misnamed(what string) error {
	return tool.Fail(tool.ValidationError, "The %s of a document must match %s.", what, name)
}

// failure is what a caller is told where the bucket failed.
func failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return tool.AsError(ctx.Err())
	}
	return tool.Fail(tool.Internal, "What was stored cannot be reached just now; try again.").Because(err)
}
