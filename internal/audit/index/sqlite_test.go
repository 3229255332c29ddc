package index

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// Whatever befell the file, the index is there again, and the file is kept.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it indexes many records")
	const page = 4096
	for name, damage := range map[string]func([]byte) []byte{
		"no database":     func([]byte) []byte { return []byte(strings.Repeat("not a database ", 100)) },
		"cut":             func(b []byte) []byte { return b[:len(b)/2/page*page] },
		"first page lost": func(b []byte) []byte { return append(make([]byte, page), b[page:]...) },
		"pages lost": func(b []byte) []byte {
			return append(bytes.Clone(b[:page]), bytes.Repeat([]byte{0xff}, len(b)-page)...)
		},
		"leaves lost": func(b []byte) []byte {
			return append(bytes.Clone(b[:40*page]), bytes.Repeat([]byte{0xff}, len(b)-40*page)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStream()
			s.store("acme", records(t, 6000)...)
			where := Options{Dir: t.TempDir()}
			file := filepath.Join(where.Dir, "audit.db")
			x, err := Open(t.Context(), where)
			if err != nil {
				t.Fatal(err)
			}
			copied(t, x, s)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			sound, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, damage(sound), 0o600); err != nil {
				t.Fatal(err)
			}

			log, told := observer.New(zap.WarnLevel)
			where.Log = zap.New(log)
			y := open(t, where)
			run(t, y, s)
			// A damage deep in the file is found by the first query that reads it.
			if _, err := y.Query(t.Context(), audit.Query{Tenant: "acme", Limit: audit.MaxLimit}); err != nil {
				t.Log(err)
			}
			for told.FilterMessageSnippet("file damaged or newer").Len() == 0 {
				reached(t, y, s.store("acme", records(t, 100)...))
			}
			reached(t, y, s.last)
			holds(t, y, s)
			aside, err := os.ReadFile(file + ".broken")
			if err != nil || !bytes.HasPrefix(aside, damage(sound)[:16]) {
				t.Errorf("the damaged file is not kept: %v", err)
			}
		})
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.store("acme", records(t, 100)...)
	log, told := observer.New(zap.WarnLevel)
	x := open(t, Options{Dir: t.TempDir(), Log: zap.New(log)})
	run(t, x, s)
	reached(t, x, 100)
	pages := func(most string) {
		if _, err := x.db.pool().Exec("PRAGMA max_page_count = " + most); err != nil {
			t.Fatal(err)
		}
	}
	pages("1") // the file may not grow
	s.store("acme", records(t, 600)...)
	for told.FilterMessageSnippet("retrying").Len() == 0 {
		if _, err := x.Query(t.Context(), audit.Query{Tenant: "acme"}); err != nil {
			t.Fatalf("a query while the disk is full: %v", err)
		}
	}
	pages("1000000")
	reached(t, x, 700)
	holds(t, x, s)
}

func TestOddDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b?mode=memory&x=%41#é", "deep")
	s := newStream()
	s.store("acme", records(t, 10)...)
	x := open(t, Options{Dir: dir})
	copied(t, x, s)
	holds(t, x, s)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v: others may read it", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "audit.db")); err != nil {
		t.Error(err)
	}
}
