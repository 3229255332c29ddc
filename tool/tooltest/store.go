package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/helve-dev/helve/tool"
)

// Store is the store port over a database of the test, the same that workers use. [Run]
// and [Play] commit the changes of a call that succeeds, as a worker does; changes that a
// test makes itself are committed by [Store.Commit]. The data is that of the call's tenant
// and user.
type Store struct {
	db *store.Store

	mu   sync.Mutex
	unit *store.Unit
}

var _ tool.Store = (*Store)(nil)

// NewStore returns an empty store, which the end of the test removes, on SQLite; see
// [OnBoth] for PostgreSQL. Its data is that of
// the tenant "default" and of no user, until a call of [Run] or [Play] uses it.
func NewStore(tb testing.TB) *Store {
	tb.Helper()
	where := store.Options{Dir: tb.TempDir()}
	if os.Getenv(onPostgres) != "" {
		where = store.Options{URL: testpostgres.New(tb)}
	}
	db, err := store.Open(context.Background(), where)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &Store{db: db, unit: db.For("default", "", "", 1)}
}

// For returns the data of another person in the same database.
func (s *Store) For(tenant, user string) *Store {
	return &Store{db: s.db, unit: s.db.For(tenant, user, "", 1)}
}

// Commit stores what was changed since the last commit.
func (s *Store) Commit(ctx context.Context) error {
	unit := s.now()
	_, err := unit.Commit(ctx, tool.Result{Value: json.RawMessage("null")})
	unit.Reset()
	return err
}

func (s *Store) now() *store.Unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unit
}

// Insert implements [tool.Store].
func (s *Store) Insert(ctx context.Context, shape *tool.Shape, doc json.RawMessage) (tool.Row, error) {
	return s.now().Insert(ctx, shape, doc)
}

// Get implements [tool.Store].
func (s *Store) Get(ctx context.Context, shape *tool.Shape, id string) (tool.Row, error) {
	return s.now().Get(ctx, shape, id)
}

// Update implements [tool.Store].
func (s *Store) Update(ctx context.Context, shape *tool.Shape, id string, revision int64, doc json.RawMessage) (tool.Row, error) {
	return s.now().Update(ctx, shape, id, revision, doc)
}

// Delete implements [tool.Store].
func (s *Store) Delete(ctx context.Context, shape *tool.Shape, id string, revision int64) error {
	return s.now().Delete(ctx, shape, id, revision)
}

// Touch implements [tool.Store].
func (s *Store) Touch(ctx context.Context, name string) error {
	return s.now().Touch(ctx, name)
}

// Transaction implements [tool.Store].
func (s *Store) Transaction(ctx context.Context, change func(tool.Store) error) error {
	return s.now().Transaction(ctx, change)
}

// Query implements [tool.Store].
func (s *Store) Query(ctx context.Context, shape *tool.Shape, q tool.Query) (tool.Page, error) {
	return s.now().Query(ctx, shape, q)
}

// Aggregate implements [tool.Store].
func (s *Store) Aggregate(ctx context.Context, shape *tool.Shape, q tool.AggregateQuery) ([]tool.Group, error) {
	return s.now().Aggregate(ctx, shape, q)
}

// maxRuns bounds how often a tool runs whose data was changed meanwhile.
const maxRuns = 6

// run runs a tool and commits what it changed in the store.
func run(ctx context.Context, inv tool.Invocation, call *tool.Call) (tool.Result, error) {
	s, ok := call.Store.(*Store)
	if !ok {
		return inv.Run(ctx, call)
	}
	for range maxRuns {
		unit := s.db.For(call.Tenant, call.User, "", call.Attempt)
		copied := *call
		copied.Store = unit
		res, err := inv.Run(ctx, &copied)
		if err != nil {
			return tool.Result{}, err
		}
		if _, err = unit.Commit(ctx, res); !errors.Is(err, store.ErrStale) {
			return res, err
		}
	}
	return tool.Result{}, fmt.Errorf("the data of %s changed during each of %d runs", call.Tool, maxRuns)
}
