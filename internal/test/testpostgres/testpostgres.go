// Package testpostgres makes databases for tests on a real PostgreSQL server.
//
// It starts no server: the variable Env names one, which .ci/run starts.
package testpostgres

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Env names a server on which the tests may make databases.
const Env = "HELVE_TEST_POSTGRES"

// New makes a database, removes it after the test, and returns its URL. Without a server
// the test is skipped, with the reason in its log.
func New(t testing.TB) string {
	t.Helper()
	server := os.Getenv(Env)
	if server == "" {
		t.Log("NOT RUN on PostgreSQL: set " + Env + " to a server on which databases may be made; .ci/run starts one")
		t.Skip("without PostgreSQL")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	name := "helve_test_" + strings.ToLower(rand.Text())
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
		conn.Close(ctx)
	})
	where, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	where.Path = "/" + name
	return where.String()
}
