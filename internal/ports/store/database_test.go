package store

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap/zaptest"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/helve-dev/helve/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onEach runs a test, or a benchmark, on each database. Where locates an empty one.
func onEach[T interface {
	testing.TB
	Run(name string, f func(T)) bool
}](t T, f func(t T, where Options)) {
	t.Run("sqlite", func(t T) { f(t, Options{Dir: t.TempDir()}) })
	t.Run("postgres", func(t T) { f(t, Options{URL: testpostgres.New(t)}) })
}

// open opens a store and closes it after the test.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Log == nil {
		o.Log = zaptest.NewLogger(t)
	}
	s, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// note is a document of the tests.
type note struct {
	Title  string   `json:"title" store:"search"`
	Body   string   `json:"body,omitempty" store:"search"`
	Tags   []string `json:"tags,omitempty" store:"search"`
	Rank   float64  `json:"rank,omitempty"`
	Pinned bool     `json:"pinned,omitempty"`
}

var notes = tool.NewCollection[note]("notes")

// call runs f as the call of ann of acme, and commits.
func call(t testing.TB, s *Store, id string, f func(u *Unit)) {
	t.Helper()
	as(t, s, "ann", id, f)
}

// as runs f as a call of a user of acme, and commits.
func as(t testing.TB, s *Store, user, id string, f func(u *Unit)) {
	t.Helper()
	u := s.For("acme", user, id, 1)
	f(u)
	if stored, err := u.Commit(t.Context(), tool.Result{Value: json.RawMessage(`"` + id + `"`)}); stored != nil || err != nil {
		t.Fatalf("Commit = %v, %v", stored, err)
	}
}

// insert adds a note within a unit.
func insert(t testing.TB, u tool.Store, n note) tool.Record[note] {
	t.Helper()
	r, err := notes.Insert(t.Context(), u, n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// titles returns the titles of the notes that a query finds.
func titles(t testing.TB, u tool.Store, q tool.Query) string {
	t.Helper()
	page, err := notes.Query(t.Context(), u, q)
	if err != nil {
		t.Fatalf("Query(%+v): %v", q, err)
	}
	var all []string
	for _, r := range page.List {
		all = append(all, r.Value.Title)
	}
	return strings.Join(all, " ")
}

// wantKind holds an error to its kind and a part of its message.
func wantKind(t testing.TB, err error, kind tool.Kind, message string) {
	t.Helper()
	if e := tool.AsError(err); e == nil || e.Kind != kind || !strings.Contains(e.Msg, message) {
		t.Errorf("error %v, want %s with %q", err, kind, message)
	}
}
