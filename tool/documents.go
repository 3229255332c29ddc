package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Documents keeps small JSON documents of the call's tenant and user where every
// worker finds them. A document has a collection and an id, each 1 to 64 letters,
// digits, "_" or "-"; it is at most 2 MiB, and is forgotten after its time.
// Nobody else's can be named. Errors are [*Error].
type Documents interface {
	// Create stores a document unless there is one of that id: false then. It is
	// forgotten after ttl, which is at least a second.
	Create(ctx context.Context, collection, id string, doc json.RawMessage, ttl time.Duration) (bool, error)
	// Put stores a document, in place of another.
	Put(ctx context.Context, collection, id string, doc json.RawMessage, ttl time.Duration) error
	// Get returns a document, nil if there is none.
	Get(ctx context.Context, collection, id string) (json.RawMessage, error)
	// Delete forgets a document; one that is not there is no error.
	Delete(ctx context.Context, collection, id string) error
	// List returns the ids of a collection, sorted.
	List(ctx context.Context, collection string) ([]string, error)
}
