package index

import (
	"context"

	"github.com/helve-dev/helve/internal/audit"
)

// Source is the stream of records.
type Source interface {
	// Follow calls each with the messages from the place from, or from the first
	// existing one, in order, and then with new ones, until ctx ends or each fails; it
	// returns the error of each.
	Follow(ctx context.Context, from uint64, each func(audit.Message) error) error
	// Read calls each with the messages of a tenant between two places, both included,
	// in order. It stops at an error of each and returns it.
	Read(ctx context.Context, from, to uint64, tenant string, each func(audit.Message) error) error
	// Range returns the places of the first kept message and the last stored one. For
	// an empty stream the first is after the last, or 0.
	Range(ctx context.Context) (first, last uint64, err error)
}
