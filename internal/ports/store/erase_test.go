package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

// TestErase: of a person who is erased, the files of the database hold no byte: no text,
// no word of the search index, no result of a call, no name. Others keep everything.
func TestErase(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it writes and erases many rows")
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		markers := []string{"zqxtitle", "ZQXBODY", "zqxperson", "zqxcall", "zqxchanged", "zqxgone"}
		for i := range 300 { // more than a page of a file
			as(t, s, "ann", fmt.Sprint("keep-", i), func(u *Unit) {
				insert(t, u, note{Title: fmt.Sprint("kept ", i), Body: strings.Repeat("apple ", 20)})
			})
			as(t, s, "zqxperson", fmt.Sprint("zqxcall-", i), func(u *Unit) {
				insert(t, u, note{Title: fmt.Sprint("zqxtitle", i), Body: strings.Repeat("ZQXBODY ", i)})
			})
		}
		as(t, s, "zqxfew", "few", func(u *Unit) { insert(t, u, note{Title: "aqxfew"}) })
		as(t, s, "zqxperson", "zqxcall-more", func(u *Unit) {
			page, err := notes.Query(t.Context(), u, tool.Query{Limit: 20})
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range page.List {
				if r.Value.Title = "zqxchanged"; i%2 == 0 {
					_, err = notes.Update(t.Context(), u, r)
				} else {
					err = notes.Delete(t.Context(), u, r)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			insert(t, u, note{Title: "zqxgone"})
		})
		if db, ok := s.db.(*postgresDB); ok { // as the server does by itself sooner or later
			if _, err := db.owner.Exec("ANALYZE; CHECKPOINT"); err != nil {
				t.Fatal(err)
			}
		}
		for _, marker := range markers[:5] {
			if inFiles(t, s, marker) == "" {
				t.Errorf("no file holds %s before the erasure: the test sees nothing", marker)
			}
		}
		// Few documents do not make the search index merge by itself.
		if got, err := s.Erase(t.Context(), "acme", "zqxfew"); got != (Erased{Items: 1, Results: 1}) || err != nil {
			t.Fatalf("Erase = %+v, %v", got, err)
		}
		if file := inFiles(t, s, "qxfew"); file != "" {
			t.Errorf("%s holds a word of one document", file)
		}
		got, err := s.Erase(t.Context(), "acme", "zqxperson")
		if want := (Erased{Items: 291, Results: 301}); got != want || err != nil {
			t.Fatalf("Erase = %+v, %v, want %+v", got, err, want)
		}
		for _, marker := range markers {
			if file := inFiles(t, s, marker); file != "" {
				t.Errorf("%s holds %s", file, marker)
			}
		}
		if all := itemsOf(t, s, "ann"); len(all) != 300 {
			t.Errorf("%d items of another person are left, want 300", len(all))
		}
		ann := s.For("acme", "ann", "", 1)
		if got := titles(t, ann, tool.Query{Text: "kept 7 apple"}); !strings.Contains(got, "kept 7") {
			t.Errorf("search finds %q for another person", got)
		}
		as(t, s, "zqxperson", "again", func(u *Unit) { insert(t, u, note{Title: "fresh"}) })
		if got := titles(t, s.For("acme", "zqxperson", "", 1), tool.Query{}); got != "fresh" {
			t.Errorf("after the erasure the person has %q, want what was stored since", got)
		}
	})
}

// inFiles returns a file of the database that holds a text, as it is or in lower case;
// empty if none does.
func inFiles(t *testing.T, s *Store, text string) (found string) {
	t.Helper()
	var dir string
	switch db := s.db.(type) {
	case *sqliteDB:
		dir = filepath.Dir(db.file)
	case *postgresDB:
		err := db.owner.QueryRow(
			`SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database WHERE datname = current_database()`,
		).Scan(&dir)
		if err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if db, ok := s.db.(*postgresDB); ok && found != "" {
			var relation string
			_ = db.owner.QueryRow(`SELECT coalesce((SELECT relname FROM pg_class WHERE pg_relation_filenode(oid)::text = $1), 'no relation')`,
				found).Scan(&relation)
			found += " of " + relation
		}
	}()
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a running server has removed it since it was listed
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(text))) {
			found = filepath.Base(file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
