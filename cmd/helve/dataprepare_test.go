package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/helve-dev/helve/internal/test/testpostgres"
)

// TestDataPrepare checks that the tables exist after the command, once and again.
func TestDataPrepare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		if code, _, errs := data(t, "", "prepare", "--data", dir); code != 0 || !strings.Contains(errs, "up to date") {
			t.Fatalf("prepare = %d %q", code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "store.db")); err != nil {
		t.Errorf("after prepare: %v", err)
	}
	if code, _, errs := data(t, "", "prepare", "--store", "postgres://helve@127.0.0.1:1/helve"); code != 1 ||
		!strings.Contains(errs, "127.0.0.1:1") {
		t.Errorf("prepare without a database = %d %q, want 1 and the address", code, errs)
	}
}

func TestDataPrepareOnPostgres(t *testing.T) {
	t.Parallel()
	url := testpostgres.New(t)
	for range 2 {
		if code, _, errs := data(t, "", "prepare", "--store", url); code != 0 || !strings.Contains(errs, "up to date") {
			t.Fatalf("prepare = %d %q", code, errs)
		}
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, table := range []string{"store_version", "store_row", "audit_index_version", "audit_cursor"} {
		var found *string
		if err := conn.QueryRow(t.Context(), "SELECT to_regclass($1)::text", table).Scan(&found); err != nil || found == nil {
			t.Errorf("table %s after prepare: %v, %v", table, found, err)
		}
	}
	if _, err := conn.Exec(t.Context(), "UPDATE audit_index_version SET version_id = 900 + version_id"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "DROP TABLE audit_cursor"); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := data(t, "", "prepare", "--store", url); code != 1 || !strings.Contains(errs, "audit index") {
		t.Errorf("prepare of a broken index = %d %q, want 1 and the part", code, errs)
	}
}
