package index

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"go.uber.org/zap"
)

// postgresDB is a server that many processes share.
type postgresDB struct {
	db  *sql.DB
	log *zap.Logger

	mu       sync.Mutex
	prepared bool // the tables are up to date
}

const (
	postgresConns = 8
	// electEvery is the interval at which a process that does not copy tries to take
	// over.
	electEvery = 500 * time.Millisecond
	// openWithin limits the wait for the server at a start.
	openWithin = 3 * time.Second
)

func openPostgres(ctx context.Context, url string, log *zap.Logger) (database, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err // it hides the password
	}
	// Statements are few and quick to plan, so a pooler need not keep them.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(postgresConns)
	pool.SetMaxIdleConns(postgresConns)
	p := &postgresDB{db: pool, log: log}
	bounded, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	if err := p.prepare(bounded); err != nil {
		log.Warn("audit index: PostgreSQL not ready; trying again", zap.Error(err))
	}
	return p, nil
}

// prepare brings the tables up to date, once.
func (p *postgresDB) prepare(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.prepared {
		return nil
	}
	if err := p.db.PingContext(ctx); err != nil { // the migration would try for minutes
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return err
	}
	_, err = migrate(ctx, p.log, p.db, goose.DialectPostgres, "postgres", goose.WithSessionLocker(locker))
	p.prepared = err == nil
	return err
}

func (p *postgresDB) reader() *sql.DB { return p.db }

func (p *postgresDB) pool() *sql.DB { return p.db }

// lead reports whether this session may copy. The lock is on the table, so that indexes
// in several schemas do not wait for each other; the first number separates it from
// other locks.
const lead = `SELECT pg_try_advisory_lock(1751477366, 'audit_cursor'::regclass::oid::int)`

// session sets the session parameters of the copying process: the session, and so the
// lock, ends within half a minute of its machine's failure; and transactions are not
// synced, because data lost in a server crash is copied again.
const session = `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
SET synchronous_commit = off`

// writer polls for the lock instead of waiting in the server: a statement that waits
// for days prevents the server from cleaning up its tables.
func (p *postgresDB) writer(ctx context.Context) (beginner, func(), error) {
	if err := p.prepare(ctx); err != nil {
		return nil, nil, err
	}
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	// The lock ends with the session, so the connection must not return to the pool. A
	// process that has lost the session can no longer write either.
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

func (p *postgresDB) elect(ctx context.Context, conn *sql.Conn) error {
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

func (p *postgresDB) adapt(ctx context.Context, statement string) (context.Context, string) {
	return ctx, numbered(statement)
}

// The statements take an array for each column. In binary, as for prepared statements,
// the server reads them three times as fast as rows of text.
const (
	insertChunks = `INSERT INTO audit_chunk (tenant, first, last, records, data)
SELECT $1, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bytea[])`
	insertPages = `INSERT INTO audit_key (segment, hash, place, data)
SELECT $1, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bytea[])`
	prepared = pgx.QueryExecModeCacheStatement
)

func (p *postgresDB) insertChunks(ctx context.Context, t *tx, tenant string, chunks []chunk) error {
	_, err := t.sql.ExecContext(ctx, insertChunks, prepared, tenant,
		column(chunks, func(c *chunk) int64 { return int64(c.first) }),
		column(chunks, func(c *chunk) int64 { return int64(c.last) }),
		column(chunks, func(c *chunk) int64 { return int64(c.records) }),
		column(chunks, func(c *chunk) []byte { return c.data }))
	return err
}

func (p *postgresDB) insertPages(ctx context.Context, t *tx, segment int64, pages []keyPage) error {
	_, err := t.sql.ExecContext(ctx, insertPages, prepared, segment,
		column(pages, func(k *keyPage) int64 { return k.hash }),
		column(pages, func(k *keyPage) int64 { return int64(k.at) }),
		column(pages, func(k *keyPage) []byte { return k.data }))
	return err
}

func column[R, T any](rows []R, of func(*R) T) []T {
	res := make([]T, len(rows))
	for i := range rows {
		res[i] = of(&rows[i])
	}
	return res
}

// broken returns false: the server's operator must repair a server.
func (p *postgresDB) broken(error) bool { return false }

func (p *postgresDB) renew(context.Context) (database, error) {
	return nil, errors.New("a PostgreSQL server is not ours to renew")
}

func (p *postgresDB) close() error { return p.db.Close() }
