// Package index copies the audit trail into SQL, so that it can be asked for
// the records of a trace, a call, a tool, a user, an agent, an outcome, a time.
// The database is SQLite in a file of this process, or a PostgreSQL that many
// share.
//
// # What it promises
//
// The stream is the truth. Records and the place in the stream up to which they
// were copied are written in one transaction, so that no record is left out and
// none is there twice, however often the copying process or its database dies.
// An index that is lost, damaged, or of another stream is built anew. Of many
// processes on one PostgreSQL one copies, and another takes over when it ends.
// A record nobody can read is found by its tenant, and holds up nothing.
// A query sees the records of its tenant only.
//
// # What it does not promise
//
// That a record can be asked for the moment it is stored: [Index.Wait] says when.
// That what a page shows is what was recorded: the seals of the stream show that.
// A quick answer to a query that names none of trace, call, tool, user, agent,
// outcome and time. A PostgreSQL behind a pooler that gives each transaction
// another connection, because the lock of the one that copies is a session's.
package index

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/uptrace/bun"
	"go.uber.org/zap"
)

// Options says where the index is kept and whom it tells.
type Options struct {
	// URL is postgres://…; empty for SQLite.
	URL string
	// Dir holds SQLite's file, audit.db. It is made if need be.
	Dir string
	// Log is told what an operator must know; nil for nobody.
	Log *zap.Logger
	// Lag is told each second how many places of the stream are not copied
	// yet; nil for nobody.
	Lag func(records uint64)
}

// Index is the audit trail in a database.
type Index struct {
	log *zap.Logger
	lag func(uint64)

	// again is filled when the copy must begin anew, and look where it is.
	again chan struct{}
	// hurry is filled when somebody waits for what is being copied.
	hurry   chan struct{}
	damaged atomic.Bool // the database is to be replaced

	mu sync.RWMutex // held to read while db is used
	db database
}

// database is what the two of them do each in their own way.
type database interface {
	// reader answers queries.
	reader() *bun.DB
	// pool is for small changes beside the copy.
	pool() *bun.DB
	// writer waits until it is this process that copies, and returns the
	// connection it does that with. Release gives it back.
	writer(ctx context.Context) (conn bun.IDB, release func(), err error)
	// insert writes rows, and none that is there.
	insert(ctx context.Context, tx bun.Tx, rows []row) error
	// clear removes all rows.
	clear(ctx context.Context, tx bun.Tx) error
	// broken tells of an error that only building it anew ends.
	broken(err error) bool
	// renew gives an empty database in place of a broken one.
	renew(ctx context.Context) (database, error)
	close() error
}

// Open opens the index and brings its tables up to date. Many processes may
// open one at the same time.
func Open(ctx context.Context, o Options) (*Index, error) {
	log := cmp.Or(o.Log, zap.NewNop())
	lag := o.Lag
	if lag == nil {
		lag = func(uint64) {}
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
	return &Index{log: log, lag: lag, db: db, again: make(chan struct{}, 1), hurry: make(chan struct{}, 1)}, nil
}

// Close gives back what Open took. Run must have ended.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.db.close()
}

// read lets f ask the database.
func (x *Index) read(f func(*bun.DB) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	err := f(x.db.reader())
	if err != nil && x.db.broken(err) {
		x.damaged.Store(true)
		x.beginAnew()
	}
	return err
}

func (x *Index) beginAnew() {
	select {
	case x.again <- struct{}{}:
	default:
	}
}
