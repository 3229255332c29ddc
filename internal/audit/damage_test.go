package audit

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
)

// TestDamagedFilesAreFound: one bit is flipped in the file of the server, which
// then serves what is left as if nothing had happened. With the index it skips
// the record and still counts it; without the index it drops all behind it.
func TestDamagedFilesAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		bit        string // in the record that holds this
		index      bool
		sealed     bool
		kind       protocol.AuditProblemKind
		seq        uint64
		wantOthers bool // of another tenant
	}{
		{"sealed", "acme-0004", true, true, protocol.ProblemMissing, 5, true},
		{"the last, sealed", "acme-0009", true, true, protocol.ProblemCutOff, 10, true},
		{"not sealed yet", "acme-0004", true, false, protocol.ProblemMissing, 5, true},
		{"the last, not sealed yet", "acme-0009", true, false, protocol.ProblemMissing, 10, true},
		{"without index", "acme-0004", false, true, protocol.ProblemCutOff, 5, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			srv := serve(t, dir)
			q := queuetest.Connect(t, srv)
			tr := trailOn(t, q)
			tr.records("acme", 10)
			tr.record("other", 0)
			if tt.sealed {
				tr.seal("acme", "other")
			}
			q.Close()
			srv.Stop()

			damage(t, dir, tt.bit, tt.index)
			srv = serve(t, dir)
			q = queuetest.Connect(t, srv)
			defer srv.Stop()
			defer q.Close()
			tr = trailOn(t, q)
			if r := tr.verify("acme"); !has(r, tt.kind, tt.seq) || r.Found != 1 {
				t.Errorf("report %+v, want %s at %d alone", r, tt.kind, tt.seq)
			}
			if r := tr.verify("other"); r.OK != tt.wantOthers {
				t.Errorf("report of another tenant %+v, want clean %v", r, tt.wantOthers)
			}
			tr.record("acme", 10)
			if r := tr.verify("acme"); r.OK {
				t.Errorf("report after one record more %+v, want the damage still found", r)
			}
			if tt.sealed && tt.index {
				tr.seal("acme")
				if r := tr.verify("acme"); !has(r, protocol.ProblemMissing, tt.seq) || r.Found != 1 {
					t.Errorf("report after one seal more %+v, want %d missing", r, tt.seq)
				}
			}
		})
	}
}

func serve(t *testing.T, dir string) *embedded.Server {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// damage flips a bit of the record that holds text.
func damage(t *testing.T, dir, text string, index bool) {
	t.Helper()
	flipped := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "HELVE_AUDIT") {
			return err
		}
		switch {
		case filepath.Ext(path) == ".blk":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if at := bytes.Index(data, []byte(text)); at >= 0 {
				data[at] ^= 1
				flipped = true
			}
			return os.WriteFile(path, data, 0o600)
		case filepath.Base(path) == "index.db" && !index:
			return os.Remove(path)
		}
		return nil
	})
	if err != nil || !flipped {
		t.Fatalf("damage %s: %v, flipped %v", text, err, flipped)
	}
}

// TestDamagedBlockIsFound: one bit is flipped within a block, and the server then skips
// all of it.
func TestDamagedBlockIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := serve(t, dir)
	q := queuetest.Connect(t, srv)
	tr := trailOn(t, q)
	tr.record("acme", 0)
	tr.block("acme", tr.lines("acme", 1, 3)...)
	tr.record("acme", 4)
	tr.seal("acme")
	tr.block("acme", tr.lines("acme", 5, 3)...) // not sealed
	q.Close()
	srv.Stop()

	damage(t, dir, "acme-0002", true)
	damage(t, dir, "acme-0006", true)
	srv = serve(t, dir)
	defer srv.Stop()
	q = queuetest.Connect(t, srv)
	defer q.Close()
	tr = trailOn(t, q)
	r := tr.verify("acme")
	for _, at := range []Place{{2, 0}, {2, 1}, {2, 2}, {4, 0}} {
		if !hasAt(r, protocol.ProblemMissing, at) {
			t.Errorf("report %+v, want %v as missing", r, at)
		}
	}
	if r.Found != 4 {
		t.Errorf("%d problems %+v, want 4", r.Found, r.Problems)
	}
}
