package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// TestStored: the result of a call is stored with its changes, as it was.
func TestStored(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		res := tool.Result{
			Value: json.RawMessage(`{"n": 1.50, "text":"é\u0000"}`), Text: "a text", Truncated: true, Notes: []string{"a note"},
			Files: []tool.WrittenFile{{Path: "a.txt", Size: 3, Type: "text/plain"}}, Metadata: map[string]any{"k": "v"},
		}
		u := s.For("acme", "ann", "c1", 4)
		insert(t, u, note{Title: "one"})
		if _, err := u.Commit(t.Context(), res); err != nil {
			t.Fatal(err)
		}
		stored, err := s.Stored(t.Context(), "acme", "ann", "c1")
		if err != nil || stored == nil || stored.Attempt != 4 {
			t.Fatalf("Stored = %+v, %v", stored, err)
		}
		var want, got any
		if err := json.Unmarshal(res.Value, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(stored.Result.Value, &got); err != nil {
			t.Fatal(err)
		}
		stored.Result.Value, res.Value = nil, nil
		if diff := cmp.Diff(res, stored.Result) + cmp.Diff(want, got); diff != "" {
			t.Errorf("the stored result differs (-want +got):\n%s", diff)
		}
		for _, id := range []string{"c2", "", "C1", "c1'"} {
			if stored, err := s.Stored(t.Context(), "acme", "ann", id); stored != nil || err != nil {
				t.Errorf("Stored(%q) = %v, %v, want none", id, stored, err)
			}
		}
		// A call that changed nothing stores nothing.
		u = s.For("acme", "ann", "c3", 1)
		titles(t, u, tool.Query{})
		if _, err := u.Commit(t.Context(), tool.Result{}); err != nil {
			t.Fatal(err)
		}
		if stored, err := s.Stored(t.Context(), "acme", "ann", "c3"); stored != nil || err != nil {
			t.Errorf("Stored of a call without changes = %v, %v", stored, err)
		}
	})
}

// TestTwoAttempts: of any number of attempts of a call at a time, in several processes,
// one commits, and the others return its result.
func TestTwoAttempts(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		stores := []*Store{open(t, where), open(t, where)}
		const calls, attempts = 30, 4
		var all sync.WaitGroup
		for c := range calls {
			results := make(chan string, attempts)
			for a := range attempts {
				all.Go(func() {
					u := stores[a%2].For("acme", "ann", fmt.Sprint("call-", c), a+1)
					insert(t, u, note{Title: fmt.Sprint("n", c)})
					own := fmt.Sprintf(`"%d by %d"`, c, a+1)
					other, err := u.Commit(t.Context(), tool.Result{Value: json.RawMessage(own)})
					if err != nil {
						t.Error(err)
					}
					if other != nil {
						own = string(other.Result.Value)
						if own != fmt.Sprintf(`"%d by %d"`, c, other.Attempt) {
							t.Errorf("attempt %d has the result %s", other.Attempt, own)
						}
					}
					results <- own
				})
			}
			all.Wait()
			first := <-results
			for range attempts - 1 {
				if again := <-results; again != first {
					t.Errorf("one attempt returned %s, another %s", first, again)
				}
			}
		}
		page, err := notes.Query(t.Context(), stores[0].For("acme", "ann", "", 1), tool.Query{Limit: tool.MaxPage})
		if err != nil || len(page.List) != calls {
			t.Errorf("%d notes of %d calls, %v", len(page.List), calls, err)
		}
	})
}

// TestConcurrentUpdates: updates of one document by many calls are all in the end.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		var made tool.Record[note]
		call(t, s, "make", func(u *Unit) { made = insert(t, u, note{Title: "counter"}) })
		const callers, each = 8, 10
		var all sync.WaitGroup
		for c := range callers {
			all.Go(func() {
				for i := range each {
					u := s.For("acme", "ann", fmt.Sprintf("add-%d-%d", c, i), 1)
					for {
						r, err := notes.Get(t.Context(), u, made.ID)
						if err != nil {
							t.Error(err)
							return
						}
						r.Value.Rank++
						if _, err := notes.Update(t.Context(), u, r); err != nil {
							t.Error(err)
							return
						}
						_, err = u.Commit(t.Context(), tool.Result{})
						if err == nil {
							break
						}
						if !strings.Contains(err.Error(), ErrStale.Error()) {
							t.Error(err)
							return
						}
						u.Reset()
					}
				}
			})
		}
		all.Wait()
		r, err := notes.Get(t.Context(), s.For("acme", "ann", "", 1), made.ID)
		if err != nil || r.Value.Rank != callers*each || r.Revision != callers*each+1 {
			t.Errorf("%v additions, revision %d, %v; want %d", r.Value.Rank, r.Revision, err, callers*each)
		}
	})
}

// TestResultsExpire: results are removed when no delivery can need them.
func TestResultsExpire(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		now := time.Now()
		where.Now, where.Keep = func() time.Time { return now }, time.Hour
		s := open(t, where)
		call(t, s, "old", func(u *Unit) { insert(t, u, note{Title: "old"}) })
		now = now.Add(30 * time.Minute)
		call(t, s, "new", func(u *Unit) { insert(t, u, note{Title: "new"}) })
		if err := s.db.purge(context.Background(), now.Add(31*time.Minute)); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]bool{"old": false, "new": true} {
			if stored, err := s.Stored(t.Context(), "acme", "ann", id); (stored != nil) != want || err != nil {
				t.Errorf("Stored(%s) = %v, %v, want it to be there: %v", id, stored, err, want)
			}
		}
		if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "new old" {
			t.Errorf("the notes are %q", got)
		}
	})
}

// TestBounds: a commit that would exceed what one person may store is refused with what to
// delete, and deleting is never refused.
func TestBounds(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		where.MaxDocuments, where.MaxBytes = 3, 2000
		s := open(t, where)
		var made []tool.Record[note]
		call(t, s, "three", func(u *Unit) {
			for _, title := range []string{"one", "two", "three"} {
				made = append(made, insert(t, u, note{Title: title}))
			}
		})
		refused := func(message string, change func(u *Unit) error) {
			t.Helper()
			u := s.For("acme", "ann", "too-much", 1)
			if err := change(u); err != nil {
				t.Fatal(err)
			}
			_, err := u.Commit(t.Context(), tool.Result{})
			wantKind(t, err, tool.RateLimited, message)
			if stored, err := s.Stored(t.Context(), "acme", "ann", "too-much"); stored != nil || err != nil {
				t.Errorf("the refused call is stored: %v, %v", stored, err)
			}
		}
		refused("one person may store 3 items and 2000 bytes, and this would exceed it; delete what is no longer needed; "+
			"most is in notes (3 items", func(u *Unit) error {
			_, err := notes.Insert(t.Context(), u, note{Title: "four"})
			return err
		})
		grow := func(u *Unit) error {
			r, err := notes.Get(t.Context(), u, made[0].ID)
			if err == nil {
				r.Value.Body = strings.Repeat("x", 3000)
				_, err = notes.Update(t.Context(), u, r)
			}
			return err
		}
		refused("2000 bytes", grow)
		as(t, s, "bob", "bobs", func(u *Unit) { insert(t, u, note{Title: "bob's own"}) })
		call(t, s, "swap", func(u *Unit) { // as many as before
			if err := notes.Delete(t.Context(), u, made[1]); err != nil {
				t.Fatal(err)
			}
			insert(t, u, note{Title: "four"})
		})
		if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "four three one" {
			t.Errorf("stored are %q", got)
		}
		s.opts.MaxDocuments = 1 // an operator lowers it
		call(t, s, "delete", func(u *Unit) {
			if err := notes.Delete(t.Context(), u, made[0]); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// TestRefuse: a call that was refused commits nothing any more, and a call that has
// committed is not refused.
func TestRefuse(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		late := s.For("acme", "ann", "c1", 1)
		insert(t, late, note{Title: "late"})
		reason := tool.Fail(tool.Timeout, "100%% too late")
		if first, err := s.Refuse(t.Context(), "acme", "ann", "c1", 2, reason); first != nil || err != nil {
			t.Fatalf("Refuse = %v, %v", first, err)
		}
		other, err := late.Commit(t.Context(), tool.Result{Value: json.RawMessage(`1`)})
		if err != nil || other == nil || other.Attempt != 2 || other.Err == nil || other.Err.Kind != tool.Timeout || other.Err.Msg != reason.Msg {
			t.Errorf("Commit after the refusal = %+v, %v", other, err)
		}
		if again, err := s.Refuse(t.Context(), "acme", "ann", "c1", 3, tool.Fail(tool.Cancelled, "x")); err != nil || again == nil ||
			again.Attempt != 2 {
			t.Errorf("a second refusal = %+v, %v", again, err)
		}
		call(t, s, "c2", func(u *Unit) { insert(t, u, note{Title: "early"}) })
		if first, err := s.Refuse(t.Context(), "acme", "ann", "c2", 2, reason); err != nil || first == nil || first.Err != nil ||
			first.Attempt != 1 {
			t.Errorf("Refuse after the commit = %+v, %v", first, err)
		}
		if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "early" {
			t.Errorf("stored are %q", got)
		}
	})
}
