package audit

import (
	"context"
	"errors"
	"time"
)

// Message is a message of the stream: At is the time it was stored, Tenant and About
// are from its subject.
type Message struct {
	Seq    uint64
	Tenant string
	Data   []byte
	At     time.Time
	About  string
}

// Extent describes the contents of the stream.
type Extent struct {
	// First and Last are the places of the first and the last record of the stream, of
	// any tenant.
	First, Last uint64
	// Own is the number of the tenant's records according to the stream, LastOwn the
	// place of the last readable one, 0 for none.
	Own, LastOwn uint64
}

// Source is the stream of records. Places count from 1, ascend, and are shared by all
// tenants.
type Source interface {
	// Follow calls each with every record from a place on, in order, and then with new
	// ones, until ctx ends or each fails; it returns the error of each.
	Follow(ctx context.Context, from uint64, each func(Message) error) error
	// Read calls each with the records between two places, both included, in order, of
	// a tenant or, if tenant is "", of all. It stops at an error of each and returns
	// it. It omits unreadable records.
	Read(ctx context.Context, from, to uint64, tenant string, each func(Message) error) error
	// Extent returns the extent of the stream; for tenant "" only First and Last.
	Extent(ctx context.Context, tenant string) (Extent, error)
}

// ErrSealed means that a seal of that number exists.
var ErrSealed = errors.New("a seal of this number is there already")

// Seals stores seals. The first seal of a number is permanently the seal of that
// number.
type Seals interface {
	// Write stores seal n of a tenant, or fails with ErrSealed if it exists.
	Write(ctx context.Context, tenant string, n uint64, seal []byte) error
	// Get returns seal n of a tenant, nil if there is none.
	Get(ctx context.Context, tenant string, n uint64) ([]byte, error)
	// Last returns the last written seal of a tenant, nil for none.
	Last(ctx context.Context, tenant string) ([]byte, error)
	// Read calls each with every seal of a tenant in the order in which they were
	// written. It stops at an error of each and returns it.
	Read(ctx context.Context, tenant string, each func(n uint64, seal []byte) error) error

	// Note stores a small value outside the chains, under a tenant's name or ""; Noted
	// returns it, nil for none. Notes may be lost: they show what was cut off a chain,
	// and avoid reading.
	Note(ctx context.Context, name string, value []byte) error
	Noted(ctx context.Context, name string) ([]byte, error)
}
