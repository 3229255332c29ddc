package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/helve-dev/helve/tool"
)

// TestBackup: a backup made while calls are committed is a database of committed calls,
// and works in place of the lost one.
func TestBackup(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Dir: t.TempDir()})
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			call(t, s, fmt.Sprint("c", i), func(u *Unit) {
				insert(t, u, note{Title: "first half"})
				insert(t, u, note{Title: "second half"})
			})
		}
	})
	for len(itemsOf(t, s, "ann")) < 20 {
		continue
	}
	restored := t.TempDir()
	file := filepath.Join(restored, sqliteFile)
	if err := s.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	stop()
	writers.Wait()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has the mode %v, %v", info.Mode(), err)
	}
	if err := s.Backup(t.Context(), file); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a second backup to the same file = %v", err)
	}
	r := open(t, Options{Dir: restored})
	ann := r.For("acme", "ann", "", 1)
	first, second := titles(t, ann, tool.Query{Text: "first", Limit: tool.MaxPage}), titles(t, ann, tool.Query{
		Text: "second", Limit: tool.MaxPage,
	})
	if n := strings.Count(first, "half"); n < 10 || n != strings.Count(second, "half") {
		t.Errorf("the backup holds %d first and %d second halves", n, strings.Count(second, "half"))
	}
	if stored, err := r.Stored(t.Context(), "acme", "ann", "c0"); stored == nil || err != nil {
		t.Errorf("the backup has no result of a call: %v", err)
	}
	call(t, r, "after", func(u *Unit) { insert(t, u, note{Title: "after"}) })
}

// TestPostgresBackup: what pg_dump has written, pg_restore brings back on another
// database, with the rights of helve_person.
func TestPostgresBackup(t *testing.T) {
	t.Parallel()
	from, to := testpostgres.New(t), testpostgres.New(t)
	for _, program := range []string{"pg_dump", "pg_restore"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is not on PATH; it comes with PostgreSQL", program)
		}
	}
	fill(t, Options{URL: from})
	if err := open(t, Options{URL: from}).Backup(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("Backup of PostgreSQL = %v", err)
	}
	dump := filepath.Join(t.TempDir(), "dump")
	for _, command := range [][]string{
		{"pg_dump", "--format", "custom", "--file", dump, from},
		{"pg_restore", "--exit-on-error", "--dbname", to, dump},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	a, b := open(t, Options{URL: from}), open(t, Options{URL: to})
	if diff := cmp.Diff(itemsOf(t, a, "ben"), itemsOf(t, b, "ben"), sameItems); diff != "" {
		t.Errorf("the restored items differ: %s", diff)
	}
	as(t, b, "ben", "after", func(u *Unit) { insert(t, u, note{Title: "after"}) })
	if got := titles(t, b.For("acme", "ben", "", 1), tool.Query{Text: "after"}); got != "after" {
		t.Errorf("search finds %q after the restore", got)
	}
}
