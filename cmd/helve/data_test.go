package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/tool"
)

func data(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = cli.Run(t.Context(), append([]string{"data"}, args...), strings.NewReader(stdin), &out, &errs, dataCommand(nil))
	return code, out.String(), errs.String()
}

// stored makes a data directory in which two persons have a note each.
func stored(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"ann", "ben"} {
		u := s.For("default", user, "c-"+user, 1)
		if _, err := u.Insert(t.Context(), &tool.Shape{Name: "notes", Search: []string{"title"}},
			json.RawMessage(`{"title": "of `+user+`"}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := u.Commit(context.Background(), tool.Result{Value: json.RawMessage(`1`)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestData: a person's data leaves the store, is deleted, and comes back; another
// person's stays.
func TestData(t *testing.T) {
	t.Parallel()
	dir := stored(t)
	const format = "jsonl"
	code, exported, errs := data(t, "", "export", "--data", dir, "--user", "ann", "--format", format)
	if code != 0 || !strings.Contains(exported, "of ann") || strings.Contains(exported, "ben") {
		t.Fatalf("export = %d %q %q", code, exported, errs)
	}
	if code, out, errs := data(t, "", "delete", "--data", dir, "--user", "ann", "--yes", "--json"); code != 0 ||
		!strings.Contains(out, `"items":1`) {
		t.Fatalf("delete = %d %q %q", code, out, errs)
	}
	if _, out, _ := data(t, "", "export", "--store", "sqlite://"+dir+"/store.db", "--user", "ann"); out != "" {
		t.Errorf("after the deletion the export is %q", out)
	}
	file := filepath.Join(t.TempDir(), "ann")
	if err := os.WriteFile(file, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := data(t, "", "import", "--data", dir, "--user", "ann", "--format", format, file); code != 0 ||
		out != "1 items added, 0 replaced, 0 left as they were\n" {
		t.Fatalf("import = %d %q %q", code, out, errs)
	}
	if code, out, _ := data(t, exported, "import", "--data", dir, "--user", "ann", "--format", format); code != 0 ||
		!strings.Contains(out, "1 left") {
		t.Fatalf("a second import = %d %q", code, out)
	}
	if _, again, _ := data(t, "", "export", "--data", dir, "--user", "ann", "--format", format); again != exported {
		t.Errorf("exported %q, and %q after an import", exported, again)
	}
	if _, out, _ := data(t, "", "export", "--data", dir, "--user", "ben"); !strings.Contains(out, "of ben") {
		t.Errorf("another person's export is %q", out)
	}
}

// TestDataRefused: what cannot be done ends with the reason, and the code of its kind.
func TestDataRefused(t *testing.T) {
	t.Parallel()
	dir := stored(t)
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"export --data DIR", 2, "--user"},
		{"export --data DIR --user ann --format xml", 2, "use csv, "},
		{"export --data DIR/none --user ann", 1, "name the data directory"},
		{"export --data DIR --store DIR --user ann", 2, "not both"},
		{"export --store mysql://x --user ann", 2, "postgres://"},
		{"delete --data DIR", 2, "--user"},
		{"import --data DIR --user ann DIR/none", 1, "no such file"},
		{"import --data DIR --user ann --format csv", 1, "_collection"},
		{"migrate --from DIR", 2, "--to"},
		{"migrate --from DIR --to DIR", 2, "the same"},
		{"migrate --from DIR/none --to DIR", 1, "there is no"},
		{"backup --data DIR DIR/store.db", 1, "exists"},
	} {
		code, out, errs := data(t, "", strings.Fields(strings.ReplaceAll(tt.args, "DIR", dir))...)
		if code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("data %s = %d %q %q, want %d and %q", tt.args, code, out, errs, tt.code, tt.want)
		}
	}
}

// TestDataMigrate: one command moves everything; a database that is in use, or full, is
// refused with what to do.
func TestDataMigrate(t *testing.T) {
	t.Parallel()
	dir, to := stored(t), t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := data(t, "", "migrate", "--from", dir, "--to", to); code != 1 || !strings.Contains(errs, "stop the workers") {
		t.Errorf("migrate while a worker runs = %d %q", code, errs)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := data(t, "", "migrate", "--from", dir, "--to", to); code != 0 || !strings.Contains(out, "2 items and 2 results") {
		t.Errorf("migrate = %d %q %q", code, out, errs)
	}
	if code, _, errs := data(t, "", "migrate", "--from", dir, "--to", to); code != 1 || !strings.Contains(errs, "empty one") {
		t.Errorf("migrate again = %d %q", code, errs)
	}
	_, before, _ := data(t, "", "export", "--data", dir, "--user", "ann")
	if _, after, _ := data(t, "", "export", "--data", to, "--user", "ann"); after != before || before == "" {
		t.Errorf("the export was %q, and is %q", before, after)
	}
	file := filepath.Join(t.TempDir(), "store.db")
	if code, _, errs := data(t, "", "backup", "--data", to, file); code != 0 {
		t.Fatalf("backup = %d %q", code, errs)
	}
	if _, restored, _ := data(t, "", "export", "--data", filepath.Dir(file), "--user", "ann"); restored != before {
		t.Errorf("the export of the backup is %q", restored)
	}
}
