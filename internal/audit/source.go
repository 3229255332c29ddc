package audit

import (
	"context"
	"errors"
	"time"
)

// Message is a record as the stream holds it: At is when it was stored.
type Message struct {
	Seq    uint64
	Tenant string
	Data   []byte
	At     time.Time
}

// Extent says what the stream holds.
type Extent struct {
	// First and Last are the places of the first and the last record of the
	// stream, of whatever tenant.
	First, Last uint64
	// Own is how many records of the tenant that was asked for the stream
	// counts, LastOwn the place of the last that can be read, 0 for none.
	Own, LastOwn uint64
}

// Source is the stream of records. Places count from 1, rise, and are shared by
// all tenants.
type Source interface {
	// Follow gives every record from a place on, in order, and then those that
	// come, until ctx ends or each fails; its error is that.
	Follow(ctx context.Context, from uint64, each func(Message) error) error
	// Read gives the records between two places, both included, in order, of a
	// tenant or, if tenant is "", of all. An error of each ends it and is
	// returned. Records that cannot be read are left out.
	Read(ctx context.Context, from, to uint64, tenant string, each func(Message) error) error
	// Extent says what the stream holds; for tenant "" only First and Last.
	Extent(ctx context.Context, tenant string) (Extent, error)
}

// ErrSealed says that a seal of that number is there.
var ErrSealed = errors.New("a seal of this number is there already")

// Seals is where seals are kept. The first seal of a number is the seal of that
// number, for ever.
type Seals interface {
	// Write stores seal n of a tenant, or fails with ErrSealed if one is there.
	Write(ctx context.Context, tenant string, n uint64, seal []byte) error
	// Get returns seal n of a tenant, nil if there is none.
	Get(ctx context.Context, tenant string, n uint64) ([]byte, error)
	// Last returns the seal of a tenant that was written last, nil for none.
	Last(ctx context.Context, tenant string) ([]byte, error)
	// Read gives every seal of a tenant in the order in which they were
	// written. An error of each ends it and is returned.
	Read(ctx context.Context, tenant string, each func(n uint64, seal []byte) error) error

	// Note keeps a small value outside of the chains, under a name that is a
	// tenant's or "" ; Noted returns it, nil for none. Notes may be lost: they
	// show what was cut off a chain, and save reading.
	Note(ctx context.Context, name string, value []byte) error
	Noted(ctx context.Context, name string) ([]byte, error)
}
