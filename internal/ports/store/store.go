package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Store is a database of personal data.
type Store struct {
	opts   Options
	db     database
	purged atomic.Int64 // when expired results were removed last, in Unix seconds
	ready  readyCollections
	tidies sync.WaitGroup
	purge  func(now time.Time) // ends soon after end is called
	end    context.CancelFunc
}

// database has the operations that SQLite and PostgreSQL implement differently. Statements have a ? for
// each value.
type database interface {
	dialect
	// rows runs a query for a person and calls each with a function that reads a row.
	rows(ctx context.Context, p person, each func(scan func(...any) error) error, statement string, values ...any) error
	// commit stores a commit, whole or not at all.
	commit(ctx context.Context, c *commit) error
	// rekey stores the keys of documents of a person that still have the revision.
	rekey(ctx context.Context, p person, list []rekey) error
	// purge removes results that expired before now.
	purge(ctx context.Context, now time.Time) error
	// items reads the documents of a person, each with its words in the search index.
	items(ctx context.Context, p person, each func(item *Item, indexed []string) error) error
	// erase deletes all of a person and leaves no byte of it in the files.
	erase(ctx context.Context, p person) (Erased, error)
	// owned reads documents of any person, by the rest of a statement.
	owned(ctx context.Context, each func(scan func(...any) error) error, rest string, values ...any) error
	connections
}

// connections are the connections to the database.
type connections interface {
	check(ctx context.Context) error
	stats() []sql.DBStats
	close() error
}

// person is the owner of the data that a statement may touch.
type person struct{ tenant, name string }

// Nobody is the person of calls without a user.
const Nobody = "_"

// Errors of a commit that are no [tool.Error].
var (
	// ErrStale means that another call changed a document after the unit had read it:
	// the call must run again.
	ErrStale = errors.New("a document was changed by another call meanwhile")
	// ErrUncertain means that the outcome of the commit is not known: the call must be
	// delivered again, which finds out.
	ErrUncertain = errors.New("it is not known whether the changes were committed")
	// errDone means that another attempt has committed the call.
	errDone = errors.New("the call has a stored result")
	// errAway means that the database did nothing because it is not reachable now.
	errAway = errors.New("the database is not reachable")
)

// Open opens the database and brings its tables up to date. A PostgreSQL server that is
// not reachable is no error: calls wait for it.
func Open(ctx context.Context, o Options) (*Store, error) {
	o = o.complete()
	open := openSQLite
	if o.URL != "" {
		open = openPostgres
	}
	db, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	return &Store{opts: o, db: db, end: end, purge: func(now time.Time) { _ = db.purge(life, now) }}, nil
}

// Stats returns the state of the pools of connections.
func (s *Store) Stats() []sql.DBStats { return s.db.stats() }

// Close ends the use of the database. No unit may be in use.
func (s *Store) Close() error {
	s.end()
	s.tidies.Wait()
	return s.db.close()
}

// Check returns an error if the database does not answer.
func (s *Store) Check(ctx context.Context) error { return s.db.check(ctx) }

// For returns a unit of work for a call. An empty user stands for [Nobody], an empty
// callID for a call whose result is not stored.
func (s *Store) For(tenant, user, callID string, attempt int) *Unit {
	u := &Unit{s: s, person: person{tenant, cmp.Or(user, Nobody)}, callID: callID, attempt: attempt}
	u.Reset()
	return u
}

// pause between tries of a database that is away.
const pause = 200 * time.Millisecond

// persist repeats an operation while the database is away, until the wait or ctx ends.
func (s *Store) persist(ctx context.Context, try func() error) error {
	err := try()
	if !errors.Is(err, errAway) && !errors.Is(err, ErrUncertain) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Wait)
	defer cancel()
	uncertain := errors.Is(err, ErrUncertain)
	for {
		select {
		case <-ctx.Done():
			if uncertain {
				return fmt.Errorf("%w: %w", ErrUncertain, err)
			}
			return unreachable(err)
		case <-time.After(pause):
		}
		err = try()
		uncertain = uncertain || errors.Is(err, ErrUncertain)
		if !errors.Is(err, errAway) && !errors.Is(err, ErrUncertain) {
			return err
		}
	}
}
