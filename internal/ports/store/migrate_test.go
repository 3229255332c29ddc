package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestOpenTogether: any number of processes may open an empty database at a time.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		const starters = 5
		var all sync.WaitGroup
		for i := range starters {
			all.Go(func() {
				s, err := Open(context.Background(), where)
				if err != nil {
					t.Errorf("start %d: %v", i, err)
					return
				}
				call(t, s, fmt.Sprint("start-", i), func(u *Unit) { insert(t, u, note{Title: "n"}) })
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		page, err := notes.Query(t.Context(), open(t, where).For("acme", "ann", "", 1), tool.Query{})
		if err != nil || len(page.List) != starters {
			t.Errorf("%d notes, %v, want %d", len(page.List), err, starters)
		}
	})
}

// TestNewerTables: a program does not touch tables of a newer version.
func TestNewerTables(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		const newer = `INSERT INTO store_version (version_id, is_applied) VALUES (99, `
		var err error
		switch db := s.db.(type) {
		case *sqliteDB:
			_, err = db.read.Exec("PRAGMA query_only = 0")
			if err == nil {
				_, err = db.read.Exec(newer + "1)")
			}
		case *postgresDB:
			_, err = db.owner.Exec(newer + "true)")
		}
		if err != nil {
			t.Fatal(err)
		}
		other, err := Open(t.Context(), where)
		if err == nil {
			_ = other.Close()
		}
		if !errors.Is(err, errNewer) || !strings.Contains(fmt.Sprint(err), "update this program") {
			t.Errorf("Open = %v, want that the tables are newer", err)
		}
	})
}

// childEnv has the options of a process that writes until it is killed.
const childEnv = "HELVE_TEST_STORE_CHILD"

// TestChild is that process: it adds notes and prints the id of each call that was
// committed.
func TestChild(t *testing.T) {
	spec := os.Getenv(childEnv)
	if spec == "" {
		t.Log("nothing to do: this is the process that TestKilled starts")
		return
	}
	where := Options{URL: spec}
	if dir, ok := strings.CutPrefix(spec, "dir="); ok {
		where = Options{Dir: dir}
	}
	s, err := Open(context.Background(), where)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("begun")
	var all sync.WaitGroup
	for caller := range 4 {
		all.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), caller, i)
				u := s.For("acme", "ann", id, 1)
				for _, title := range []string{"first", "second"} {
					if _, err := notes.Insert(t.Context(), u, note{Title: title, Body: id}); err != nil {
						t.Error(err)
						return
					}
				}
				if _, err := u.Commit(t.Context(), tool.Result{Value: json.RawMessage(`"` + id + `"`)}); err != nil {
					t.Error(err)
					return
				}
				fmt.Println("committed", id)
			}
		})
	}
	all.Wait()
}

// TestKilled: a process may be killed at any time, also while it makes the tables. What it
// has committed is there with its results, and of the rest nothing.
func TestKilled(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		spec := where.URL
		if spec == "" {
			spec = "dir=" + where.Dir
		}
		committed := map[string]bool{}
		for _, lines := range []int{0, 0, 0, 1, 5, 60, 200} { // after which it is killed
			cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
			cmd.Env = append(os.Environ(), childEnv+"="+spec)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			scan := bufio.NewScanner(out)
			for n := 0; n < lines && scan.Scan(); n++ {
				if id, ok := strings.CutPrefix(scan.Text(), "committed "); ok {
					committed[id] = true
				}
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			for scan.Scan() { // what it printed before it died
				if id, ok := strings.CutPrefix(scan.Text(), "committed "); ok {
					committed[id] = true
				}
			}
			_ = cmd.Wait()
		}
		s := open(t, where)
		u := s.For("acme", "ann", "", 1)
		byCall := map[string]int{}
		for q := (tool.Query{Limit: tool.MaxPage}); ; {
			page, err := notes.Query(t.Context(), u, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.List {
				byCall[r.Value.Body]++
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if len(committed) < 100 {
			t.Fatalf("%d calls were committed before the kills, want more", len(committed))
		}
		for id := range committed {
			if byCall[id] != 2 {
				t.Errorf("the call %s was committed, and %d of its 2 notes are there", id, byCall[id])
			}
		}
		for id, n := range byCall {
			if stored, err := s.Stored(t.Context(), "acme", "ann", id); n != 2 || stored == nil || string(stored.Result.Value) != `"`+id+`"` ||
				err != nil {
				t.Errorf("the call %s has %d notes and the result %v, %v", id, n, stored, err)
			}
		}
	})
}

// TestFiles: SQLite's files are for this user only, wherever they are.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b?mode=memory&x=%41#é", "deep")
	s := open(t, Options{Dir: dir})
	call(t, s, "c", func(u *Unit) { insert(t, u, note{Title: "here"}) })
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v, %v: others may read it", entry.Name(), info.Mode(), err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "store.db")); err != nil {
		t.Error(err)
	}
}

// TestFullDisk: on a full disk a call ends with a clear error and nothing is stored; reads
// go on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Dir: t.TempDir()})
	call(t, s, "before", func(u *Unit) { insert(t, u, note{Title: "before"}) })
	db := s.db.(*sqliteDB)
	pages := func(most int) {
		t.Helper()
		if _, err := db.writer.conn.ExecContext(t.Context(), fmt.Sprint("PRAGMA max_page_count = ", most)); err != nil {
			t.Fatal(err)
		}
	}
	pages(1) // the file may not grow
	u := s.For("acme", "ann", "full", 1)
	insert(t, u, note{Title: "large", Body: strings.Repeat("words and ", 100_000)})
	_, err := u.Commit(t.Context(), tool.Result{})
	wantKind(t, err, tool.Overloaded, "disk of the store is full; nothing was changed")
	if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "before" {
		t.Errorf("stored are %q", got)
	}
	pages(1_000_000)
	call(t, s, "after", func(u *Unit) { insert(t, u, note{Title: "after"}) })
}
