package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// job is a commit, or a purge, that waits for the writer.
type job struct {
	c     *commit
	rekey []rekey
	purge int64 // expired before this, in Unix seconds
	// taken is set by the first of two: the writer that begins the job, or the caller that
	// withdraws it.
	taken atomic.Bool
	done  chan error
}

// writer commits what waits, in one transaction.
type writer struct {
	db         *sqliteDB
	conn       *sql.Conn
	statements [lastStatement]*sql.Stmt
}

// maxShared bounds the commits of one transaction.
const maxShared = 128

// The statements of the writer. None needs a statement journal, such as one with RETURNING
// does, because the search index is written out before each of those.
const (
	addCall = iota
	addUsage
	firstUsage
	insertRow
	updateRow
	deleteRow
	addText
	replaceText
	deleteText
	purgeCalls
	rekeyRow
	lastStatement
)

// thisRow selects the number of a document.
const thisRow = `(SELECT n FROM store_row WHERE tenant = ? AND person = ? AND collection = ? AND id = ?)`

func newWriter(ctx context.Context, s *sqliteDB) (*writer, error) {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{db: s, conn: conn}
	for i, text := range [lastStatement]string{
		addCall:    `INSERT INTO store_call (tenant, call_id, person, attempt, expires, result) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		addUsage:   `UPDATE store_usage SET documents = documents + ?, bytes = bytes + ? WHERE tenant = ? AND person = ? AND documents <= ? AND bytes <= ?`,
		firstUsage: `INSERT INTO store_usage (tenant, person, documents, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		insertRow: `INSERT INTO store_row (tenant, person, collection, id, revision, created, updated, size, doc, ` + keyColumns +
			`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, person, collection, id) DO NOTHING`,
		updateRow: `UPDATE store_row SET revision = ?, updated = ?, size = ?, doc = ?, ` + setKeys +
			` WHERE tenant = ? AND person = ? AND collection = ? AND id = ? AND revision = ?`,
		deleteRow: `DELETE FROM store_row WHERE tenant = ? AND person = ? AND collection = ? AND id = ? AND revision = ?`,
		addText:   `INSERT INTO store_text (rowid, words) VALUES (` + thisRow + `, ?)`,

		replaceText: `INSERT OR REPLACE INTO store_text (rowid, words) VALUES (` + thisRow + `, ?)`,
		deleteText:  `DELETE FROM store_text WHERE rowid = ` + thisRow,
		rekeyRow:    `UPDATE store_row SET ` + setKeys + ` WHERE n = ? AND revision = ?`,
		purgeCalls:  `DELETE FROM store_call WHERE rowid IN (SELECT rowid FROM store_call WHERE expires < ? LIMIT 5000)`,
	} {
		if w.statements[i], err = conn.PrepareContext(ctx, text); err != nil { //nolint:sqlclosecheck // close closes all
			w.close()
			return nil, err
		}
	}
	return w, nil
}

// run takes jobs until the database is closed.
func (w *writer) run() {
	defer close(w.db.ended)
	defer w.close()
	for {
		select {
		case <-w.db.closed:
			return
		case first := <-w.db.jobs:
			w.share(w.gather(first))
		}
	}
}

// close closes the connection. SQLite keeps the file open as long as there is a statement.
func (w *writer) close() {
	for _, s := range w.statements {
		if s != nil {
			_ = s.Close()
		}
	}
	_ = w.conn.Close()
}

// gather returns the first job and those that wait behind it.
func (w *writer) gather(first *job) []*job {
	jobs := make([]*job, 0, 8)
	add := func(j *job) {
		if j.taken.CompareAndSwap(false, true) {
			jobs = append(jobs, j)
		}
	}
	add(first)
	for len(jobs) < maxShared {
		select {
		case j := <-w.db.jobs:
			add(j)
		default:
			return jobs
		}
	}
	return jobs
}

// share runs jobs in one transaction, or each in its own if one of them fails.
func (w *writer) share(jobs []*job) {
	err := w.transact(jobs)
	if err == nil || len(jobs) == 1 {
		for _, j := range jobs {
			j.done <- err
		}
		return
	}
	for _, j := range jobs {
		j.done <- w.transact([]*job{j})
	}
}

func (w *writer) transact(jobs []*job) error {
	if len(jobs) == 0 {
		return nil
	}
	ctx := context.Background()
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return sqliteError(err)
	}
	err := w.apply(jobs)
	if err == nil {
		_, err = w.conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		// After some errors the transaction has ended already.
		_, _ = w.conn.ExecContext(ctx, "ROLLBACK")
	}
	return sqliteError(err)
}

func (w *writer) apply(jobs []*job) error {
	for _, j := range jobs {
		var err error
		switch {
		case j.c != nil:
			err = w.write(j.c)
		case j.rekey != nil:
			err = w.rekey(j.rekey)
		default:
			_, err = w.statements[purgeCalls].ExecContext(context.Background(), j.purge)
		}
		if err != nil {
			return err
		}
	}
	return failpoint.Hit(failpoint.StoreInCommit)
}

// write runs the statements of a commit.
func (w *writer) write(c *commit) error {
	p := c.person
	if c.callID != "" {
		if err := w.one(errDone, addCall, p.tenant, c.callID, p.name, c.attempt, c.expires, c.result); err != nil {
			return err
		}
	}
	limits := c.limits()
	err := w.one(errFull, addUsage, c.growth.documents, c.growth.bytes, p.tenant, p.name, limits.documents, limits.bytes)
	if errors.Is(err, errFull) && limits.documents >= 0 && limits.bytes >= 0 {
		err = w.one(errFull, firstUsage, p.tenant, p.name, c.growth.documents, c.growth.bytes)
	}
	if err != nil {
		return err
	}
	for _, ch := range c.changes {
		if err := w.change(p, ch); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) change(p person, ch *change) error {
	place := []any{p.tenant, p.name, ch.collection, ch.id}
	text := func() []any { return append(place, strings.Join(ownerKeyOf(p, ch.collection).index(ch.words), " ")) }
	switch {
	case ch.base.revision == 0:
		if err := w.one(ErrStale, insertRow,
			append(append(place, ch.revision, ch.created, ch.updated, ch.size, string(ch.doc)), ch.keys.values()...)...); err != nil {
			return err
		}
		if ch.words != nil {
			return w.exec(addText, text()...)
		}
	case ch.revision == 0:
		if err := w.exec(deleteText, place...); err != nil {
			return err
		}
		return w.one(ErrStale, deleteRow, append(place, ch.base.revision)...)
	default:
		if err := w.one(ErrStale, updateRow,
			slices.Concat([]any{ch.revision, ch.updated, ch.size, string(ch.doc)}, ch.keys.values(), place,
				[]any{ch.base.revision})...); err != nil {
			return err
		}
		if ch.words != nil {
			return w.exec(replaceText, text()...)
		}
	}
	return nil
}

// rekey stores keys of documents that have not changed since they were read.
func (w *writer) rekey(list []rekey) error {
	for _, r := range list {
		if err := w.exec(rekeyRow, append(r.keys.values(), r.n, r.revision)...); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) exec(statement int, values ...any) error {
	_, err := w.statements[statement].ExecContext(context.Background(), values...)
	return err
}

// one runs a statement that changes one row, and returns none if it changes no row.
func (w *writer) one(none error, statement int, values ...any) error {
	res, err := w.statements[statement].ExecContext(context.Background(), values...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return none
	}
	return nil
}

// commit implements [database].
func (s *sqliteDB) commit(ctx context.Context, c *commit) error {
	return s.do(ctx, &job{c: c, done: make(chan error, 1)})
}

func (s *sqliteDB) rekey(ctx context.Context, _ person, list []rekey) error {
	return s.do(ctx, &job{rekey: list, done: make(chan error, 1)})
}

func (s *sqliteDB) purge(ctx context.Context, now time.Time) error {
	return s.do(ctx, &job{purge: now.Unix(), done: make(chan error, 1)})
}

// do has the writer run a job. If ctx ends before the writer has begun it, nothing was
// done; afterwards do waits for the outcome.
func (s *sqliteDB) do(ctx context.Context, j *job) error {
	select {
	case s.jobs <- j:
	case <-s.closed:
		return errAway
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		if j.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-j.done
	}
}
