// Package index copies the audit trail into SQL, for queries by trace, call, tool,
// user, agent, outcome and time. The database is SQLite in a file of this process, or a
// PostgreSQL server that many processes share.
//
// # What it promises
//
// The stream is authoritative. Records and the place in the stream up to which they
// were copied are written in one transaction, so that no record is missing or
// duplicated, however often the copying process or its database dies. An index that is
// lost, damaged, or of another stream is rebuilt. Of many processes on one PostgreSQL
// one copies, and another takes over when it ends. [Index.Compare] with repair restores
// changed records and keys, while queries and the copy continue. An unreadable record
// can be found by its tenant, and blocks nothing. A query sees only the records of its
// tenant.
//
// # What it does not promise
//
// A record is not available to queries immediately after it is stored: [Index.Wait]
// waits for it. A page may differ from what was recorded, since a writer of the
// database can change it: [audit.Lookup] checks the records of a page against their
// seals, and [Index.Compare] the whole index against the stream. A PostgreSQL behind a
// transaction pooler is not supported, because the lock of the copying process belongs
// to a session.
//
// # Storage
//
// Records of a tenant are copied in compressed chunks of up to 128, because reading a
// page of a thousand records from the stream would take a thousand requests, or a
// thousand messages of half a megabyte each. The keys of about a thousand records are a
// segment: the sorted hashes of their fields and values, each with the places of the
// records that have it, in pages of 4 KB. Eight consecutive segments of one level
// become one of the next, in steps of some pages, so that a merge takes little memory
// and delays no record. A lookup of one call reads a page of each segment, in one
// statement: of 100 million records up to 42. A filter of hashes in memory would save
// these reads, and take a gigabyte. Queries find the places that have all requested
// hashes, and read and check the records there. The newest records have no keys yet, so
// queries read them all.
package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"
)

// Options configures an Index.
type Options struct {
	// URL is postgres://…; empty for SQLite.
	URL string
	// Dir is the directory of SQLite's file, audit.db. It is created if missing.
	Dir string
	// Log receives messages for the operator; may be nil.
	Log *zap.Logger
	// Lag receives each second the number of places of the stream that are not copied
	// yet; may be nil.
	Lag func(records uint64)
	// State is called when copying fails, with the error, and when it works again, with
	// nil; may be nil.
	State func(error)
}

// Index is the audit trail in a database.
type Index struct {
	log *zap.Logger
	lag func(uint64)
	// state logs a change of failing, the reason why the last copy failed.
	state   func(error)
	failing error

	// again is filled when the copy must start again and read its place.
	again chan struct{}
	// hurry is filled when a caller waits for records that are being copied.
	hurry   chan struct{}
	damaged atomic.Bool // the database must be replaced

	mu sync.RWMutex // read-locked while db is used
	db database
}

// Stats returns the state of the pools of connections.
func (x *Index) Stats() []sql.DBStats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	read, write := x.db.reader(), x.db.pool()
	if read == write {
		return []sql.DBStats{read.Stats()}
	}
	return []sql.DBStats{read.Stats(), write.Stats()}
}

// database abstracts the differences between SQLite and PostgreSQL.
type database interface {
	// reader returns the pool of connections that queries use.
	reader() *sql.DB
	// pool returns the pool for small changes made concurrently with the copy.
	pool() *sql.DB
	// writer waits until this process is the copying one, and returns its connection.
	// release closes it.
	writer(ctx context.Context) (conn beginner, release func(), err error)
	// adapt returns a statement in the form that the database accepts.
	adapt(ctx context.Context, statement string) (context.Context, string)
	insertChunks(ctx context.Context, t *tx, tenant string, chunks []chunk) error
	insertPages(ctx context.Context, t *tx, segment int64, pages []keyPage) error
	// broken reports whether only a new database can fix an error.
	broken(err error) bool
	// renew returns an empty database that replaces a broken one.
	renew(ctx context.Context) (database, error)
	close() error
}

// Open opens the index and brings its tables up to date. Many processes may open one
// concurrently. An unreachable PostgreSQL is no error: [Index.Run] tries again, and
// queries fail until then.
func Open(ctx context.Context, o Options) (*Index, error) {
	log := cmp.Or(o.Log, zap.NewNop())
	lag := o.Lag
	if lag == nil {
		lag = func(uint64) {}
	}
	state := o.State
	if state == nil {
		state = func(error) {}
	}
	open := openSQLite
	where := o.Dir
	if o.URL != "" {
		open, where = openPostgres, o.URL
	}
	db, err := open(ctx, where, log)
	if err != nil {
		return nil, fmt.Errorf("audit index: %w", err)
	}
	return &Index{log: log, lag: lag, state: state, db: db, again: make(chan struct{}, 1), hurry: make(chan struct{}, 1)}, nil
}

// Close releases the resources of the index. Run must have ended.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.db.close()
}

// read runs f in a transaction with a snapshot of the database. Damage that it finds is
// repaired.
func (x *Index) read(ctx context.Context, f func(*tx) error) error {
	err := x.look(ctx, f)
	if err != nil && x.db.broken(err) {
		x.damaged.Store(true)
		x.startOver()
	}
	return err
}

// look is read for callers that repair the damage themselves.
func (x *Index) look(ctx context.Context, f func(*tx) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return within(ctx, x.db.reader(), x.db, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}, f)
}

func (x *Index) startOver() {
	select {
	case x.again <- struct{}{}:
	default:
	}
}
