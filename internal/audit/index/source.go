package index

import "context"

// Message is a record as the stream stores it.
type Message struct {
	// Seq is its place in the stream, from 1.
	Seq uint64
	// Tenant is whose it is by its subject.
	Tenant string
	// Data is the record. The index keeps it.
	Data []byte
}

// Source is the stream of records.
type Source interface {
	// Follow gives each the records from the place from, or from the first
	// there is, in order, and then what comes, until ctx ends or each fails; it
	// returns the error of each.
	Follow(ctx context.Context, from uint64, each func(Message) error) error
	// Range is the place of the first record that is kept and that of the last
	// that was stored. In a stream that keeps none the first is behind the
	// last, or 0.
	Range(ctx context.Context) (first, last uint64, err error)
}
