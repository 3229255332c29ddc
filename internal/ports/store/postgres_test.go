package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/helve-dev/helve/tool"
)

// TestRowSecurity: SQL that runs where that of calls does sees and changes nothing of
// another person, whatever it says.
func TestRowSecurity(t *testing.T) {
	t.Parallel()
	s := open(t, Options{URL: testpostgres.New(t)})
	db := s.db.(*postgresDB)
	call(t, s, "c1", func(u *Unit) { insert(t, u, note{Title: "secret"}) })
	bob := person{"acme", "bob"}
	counted := func(who person, statement string) (n int) {
		t.Helper()
		if err := db.rows(t.Context(), who, func(scan func(...any) error) error { return scan(&n) }, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		return n
	}
	for _, table := range []string{"store_row", "store_usage", "store_call"} {
		if n := counted(bob, "SELECT count(*) FROM "+table); n != 0 {
			t.Errorf("bob sees %d rows of %s", n, table)
		}
		if n := counted(person{"acme", "ann"}, "SELECT count(*) FROM "+table); n != 1 {
			t.Errorf("ann sees %d rows of %s, want her own", n, table)
		}
		for _, change := range []string{
			"WITH gone AS (DELETE FROM %s RETURNING 1) SELECT count(*) FROM gone",
			"WITH changed AS (UPDATE %s SET person = 'bob' RETURNING 1) SELECT count(*) FROM changed",
		} {
			if n := counted(bob, fmt.Sprintf(change, table)); n != 0 {
				t.Errorf("bob changes %d rows of %s", n, table)
			}
		}
	}
	// Nothing is seen where no person is bound.
	err := db.with(t.Context(), func(c *pgx.Conn) error {
		var role string
		var n int
		if err := c.QueryRow(t.Context(), "SELECT current_user, (SELECT count(*) FROM store_row)").Scan(&role, &n); err != nil {
			return err
		}
		if role != personRole || n != 0 {
			t.Errorf("as %s without a person %d rows are seen", role, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO store_usage (tenant, person, documents, bytes) VALUES ('acme', 'ann', 1, 1) RETURNING 1`,
		`SELECT version_id FROM store_version`,
		`ALTER TABLE store_row DISABLE ROW LEVEL SECURITY`,
		`DROP TABLE store_row`,
		`CREATE TABLE mine (a int)`,
	} {
		err := db.rows(t.Context(), bob, func(scan func(...any) error) error { return nil }, statement)
		if !isPgError(err, "42501") {
			t.Errorf("bob: %s: %v, want that it is not allowed", statement, err)
		}
	}
	if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "secret" {
		t.Errorf("in the end ann has %q", got)
	}
}

// TestPostgresEndsSessions: sessions that the server ends at any time cost no call and
// store nothing twice.
func TestPostgresEndsSessions(t *testing.T) {
	t.Parallel()
	where := Options{URL: testpostgres.New(t), Wait: time.Minute}
	s := open(t, where)
	operator, err := pgx.Connect(t.Context(), where.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer operator.Close(context.Background())
	const callers, each, apart = 8, 40, 4
	var all sync.WaitGroup
	stored := make(chan struct{}, callers*each)
	for c := range callers {
		all.Go(func() {
			for i := range each {
				id := fmt.Sprintf("c-%d-%d", c, i)
				u := s.For("acme", "ann", id, 1)
				insert(t, u, note{Title: id})
				if _, err := u.Commit(t.Context(), tool.Result{Value: []byte("1")}); err != nil {
					t.Errorf("%s: %v", id, err)
				}
				stored <- struct{}{}
			}
		})
	}
	// The sessions end again once some more calls are stored, so that calls get on however
	// slow the machine is.
	go func() { all.Wait(); close(stored) }()
	for n := 0; ; n++ {
		if n%apart == 0 {
			if _, err := operator.Exec(t.Context(),
				`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
				t.Fatal(err)
			}
		}
		if _, more := <-stored; !more {
			break
		}
	}
	groups, err := notes.Aggregate(t.Context(), s.For("acme", "ann", "", 1), tool.AggregateQuery{By: []string{"title"}})
	if err != nil || len(groups) != callers*each {
		t.Fatalf("%d of %d calls are stored, %v", len(groups), callers*each, err)
	}
	for _, g := range groups {
		if g.Count != 1 {
			t.Errorf("%v is stored %d times", g.By, g.Count)
		}
	}
}

// gate is a way to a server that can be closed.
type gate struct {
	t      *testing.T
	listen net.Listener
	dial   func() (net.Conn, error)

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]bool
}

// through returns a gate to a server, and the URL that leads through it.
func through(t *testing.T, server string) (*gate, string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	dial := func() (net.Conn, error) { return net.Dial("tcp", u.Host) }
	query := u.Query()
	if dir := query.Get("host"); strings.HasPrefix(dir, "/") {
		dial = func() (net.Conn, error) { return net.Dial("unix", dir+"/.s.PGSQL.5432") }
		query.Del("host")
	}
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, listen: listen, dial: dial, open: map[net.Conn]bool{}}
	u.Host, u.RawQuery = listen.Addr().String(), query.Encode()
	go g.serve()
	t.Cleanup(func() { _ = listen.Close(); g.close() })
	return g, u.String()
}

func (g *gate) serve() {
	for {
		in, err := g.listen.Accept()
		if err != nil {
			return
		}
		out, err := g.dial()
		g.mu.Lock()
		if err != nil || g.closed {
			g.mu.Unlock()
			_ = in.Close()
			if out != nil {
				_ = out.Close()
			}
			continue
		}
		g.open[in], g.open[out] = true, true
		g.mu.Unlock()
		go pass(in, out)
		go pass(out, in)
	}
}

func pass(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// close ends all connections and lets no new one pass.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for c := range g.open {
		_ = c.Close()
	}
	clear(g.open)
}

func (g *gate) reopen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
}

// TestAway: while the server is away calls wait for it; then they end with a clear error.
// A start does not wait for it.
func TestAway(t *testing.T) {
	t.Parallel()
	server := testpostgres.New(t)
	g, at := through(t, server)
	g.close()
	s := open(t, Options{URL: at, Wait: 300 * time.Millisecond})
	if err := s.Check(t.Context()); err == nil {
		t.Error("Check finds nothing wrong")
	}
	_, err := notes.Query(t.Context(), s.For("acme", "ann", "", 1), tool.Query{})
	wantKind(t, err, tool.Overloaded, "does not answer; nothing was changed")
	u := s.For("acme", "ann", "c1", 1)
	insert(t, u, note{Title: "one"})
	_, err = u.Commit(t.Context(), tool.Result{})
	wantKind(t, err, tool.Overloaded, "does not answer; nothing was changed")

	s.opts.Wait = time.Minute
	done := make(chan error, 1)
	go func() {
		_, err := u.Commit(context.WithoutCancel(t.Context()), tool.Result{Value: []byte("1")})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("the commit did not wait: %v", err)
	case <-time.After(pause):
	}
	g.reopen()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "one" {
		t.Errorf("stored are %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	g.close()
	cancel()
	if _, err := notes.Query(ctx, s.For("acme", "ann", "", 1), tool.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was cancelled: %v", err)
	}
}

// TestURLRefused: a URL that can never work is refused, without the password.
func TestURLRefused(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{URL: "postgres://helve:hush-hush@127.0.0.1:port/helve"})
	if err == nil {
		_ = s.Close()
	}
	if err == nil || strings.Contains(err.Error(), "hush-hush") {
		t.Errorf("Open = %v, want an error without the password", err)
	}
}

// TestPlainRole: a role that is no superuser and owns its database is enough, once a
// superuser has made the role of calls.
func TestPlainRole(t *testing.T) {
	t.Parallel()
	where := testpostgres.New(t)
	admin, err := pgx.Connect(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	u, err := url.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	database := strings.TrimPrefix(u.Path, "/")
	role := "plain_" + strings.TrimPrefix(database, "helve_test_")
	for _, statement := range []string{
		"CREATE ROLE " + role + " LOGIN", "ALTER DATABASE " + database + " OWNER TO " + role, "GRANT ALL ON SCHEMA public TO " + role,
		"DO $$ BEGIN CREATE ROLE " + personRole + " NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
		"GRANT " + personRole + " TO " + role,
	} {
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), os.Getenv(testpostgres.Env))
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(context.Background(),
			"ALTER DATABASE "+database+" OWNER TO CURRENT_USER; REVOKE "+personRole+" FROM "+role); err != nil {
			t.Error(err)
		}
		inside, err := pgx.Connect(context.Background(), where)
		if err != nil {
			t.Error(err)
			return
		}
		defer inside.Close(context.Background())
		if _, err := inside.Exec(context.Background(), "DROP OWNED BY "+role+" CASCADE; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	u.User = url.User(role)
	s := open(t, Options{URL: u.String()})
	call(t, s, "c1", func(u *Unit) { insert(t, u, note{Title: "plain"}) })
	if got := titles(t, s.For("acme", "ann", "", 1), tool.Query{}); got != "plain" {
		t.Errorf("stored are %q", got)
	}
	if got := titles(t, s.For("acme", "bob", "", 1), tool.Query{}); got != "" {
		t.Errorf("bob sees %q", got)
	}
}
