package index

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"
)

// postgresDB is a server that many processes share.
type postgresDB struct {
	db *bun.DB
}

const (
	postgresConns = 8
	// electEvery is how often a process that does not copy asks whether it is
	// its turn.
	electEvery = 500 * time.Millisecond
)

func openPostgres(ctx context.Context, url string, _ *zap.Logger) (database, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err // it hides the password
	}
	// bun writes the values into each statement, so that none comes twice.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(postgresConns)
	pool.SetMaxIdleConns(postgresConns)
	p := &postgresDB{db: bun.NewDB(pool, pgdialect.New())}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err == nil {
		err = migrate(ctx, pool, goose.DialectPostgres, "postgres", goose.WithSessionLocker(locker))
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *postgresDB) reader() *bun.DB { return p.db }

func (p *postgresDB) pool() *bun.DB { return p.db }

// lead tells whether this session is the one that copies. The table stands for
// the lock, so that indexes in several schemas do not wait for each other; the
// first number keeps it apart from the locks of others.
const lead = `SELECT pg_try_advisory_lock(1751477366, 'audit_cursor'::regclass::oid::int)`

// session is what the one that copies wants of the server: an end of the
// session, and so of the lock, within half a minute of its machine's; and no
// sync with each transaction, because what is lost with the server's last
// moments is copied again.
const session = `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
SET synchronous_commit = off`

// writer asks again and again rather than wait in the server: a statement that
// waits for days keeps the server from cleaning up all its tables.
func (p *postgresDB) writer(ctx context.Context) (bun.IDB, func(), error) {
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	// The lock ends with the session, so the connection must not go back to the
	// pool. Whoever has lost the session has lost the means to write as well.
	release := func() {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		_ = conn.Close()
	}
	if err := p.elect(ctx, conn); err != nil {
		release()
		return nil, nil, err
	}
	return conn, release, nil
}

func (p *postgresDB) elect(ctx context.Context, conn bun.Conn) error {
	if _, err := conn.ExecContext(ctx, session); err != nil {
		return err
	}
	tick := time.NewTicker(electEvery)
	defer tick.Stop()
	for {
		var mine bool
		if err := conn.QueryRowContext(ctx, lead).Scan(&mine); err != nil || mine {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// insertRows takes a list for each column. In binary, as a prepared statement
// takes them, the server reads them three times as fast as rows of text.
const insertRows = `INSERT INTO audit_record (seq, tenant, time, trace_id, call_id, tool, user_id, agent,
	conversation, status, error_type, phase, outcome, record)
SELECT unnest($1::bigint[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::text[]), unnest($5::text[]),
	unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), unnest($9::text[]), unnest($10::text[]),
	unnest($11::text[]), unnest($12::text[]), unnest($13::text[]), unnest($14::bytea[])
ON CONFLICT DO NOTHING`

func (p *postgresDB) insert(ctx context.Context, tx bun.Tx, rows []row) error {
	_, err := tx.Tx.ExecContext(ctx, insertRows, pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheStatement,
		column(rows, func(r *row) int64 { return r.Seq }),
		column(rows, func(r *row) string { return r.Tenant }),
		column(rows, func(r *row) int64 { return r.Time }),
		column(rows, func(r *row) string { return r.TraceID }),
		column(rows, func(r *row) string { return r.CallID }),
		column(rows, func(r *row) string { return r.Tool }),
		column(rows, func(r *row) string { return r.User }),
		column(rows, func(r *row) string { return r.Agent }),
		column(rows, func(r *row) string { return r.Conversation }),
		column(rows, func(r *row) string { return r.Status }),
		column(rows, func(r *row) string { return r.ErrorType }),
		column(rows, func(r *row) string { return r.Phase }),
		column(rows, func(r *row) string { return r.Outcome }),
		column(rows, func(r *row) []byte { return r.Record }))
	return err
}

func column[T any](rows []row, of func(*row) T) []T {
	res := make([]T, len(rows))
	for i := range rows {
		res[i] = of(&rows[i])
	}
	return res
}

func (p *postgresDB) clear(ctx context.Context, tx bun.Tx) error {
	_, err := tx.ExecContext(ctx, "TRUNCATE audit_record")
	return err
}

// broken is never true: what ails a server is for its operator to mend.
func (p *postgresDB) broken(error) bool { return false }

func (p *postgresDB) renew(context.Context) (database, error) {
	return nil, errors.New("a PostgreSQL server is not ours to renew")
}

func (p *postgresDB) close() error { return p.db.Close() }
