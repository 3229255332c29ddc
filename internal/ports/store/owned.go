package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/helve-dev/helve/tool"
)

// Owned is a document of a collection with its owner.
type Owned struct {
	Tenant, Person string
	tool.Row
}

// Place is the position of a document among all of its collection.
type Place struct {
	Tenant string `json:"tenant"`
	Person string `json:"person"`
	ID     string `json:"id"`
}

const (
	ownedBegin = `SELECT r.tenant, r.person, r.id, r.revision, r.created, r.updated, r.doc`
	// ownedFrom finds the persons in the small table, and of each the collection by the
	// key of the large one.
	ownedFrom = ` FROM store_usage u CROSS JOIN store_row r WHERE r.tenant = u.tenant AND r.person = u.person AND r.collection = ?
AND (u.tenant, u.person) >= (?, ?) AND (u.tenant, u.person, r.id) > (?, ?, ?)`
	ownedEnd = ` ORDER BY u.tenant, u.person, r.id LIMIT `
)

// Owned calls each with the documents of a collection that lie after a place, at most
// limit, in the order of tenant, person and id: of one person, or with an empty person of
// a tenant, or with an empty tenant of all. It is for operators and for the process itself,
// never for a call.
func (s *Store) Owned(ctx context.Context, collection string, of Place, after Place, limit int, each func(Owned) error) error {
	where, values := ownedFrom, []any{collection, after.Tenant, after.Person, after.Tenant, after.Person, after.ID}
	if of.Tenant != "" {
		where, values = where+` AND u.tenant = ?`, append(values, of.Tenant)
	}
	if of.Person != "" {
		where, values = where+` AND u.person = ?`, append(values, of.Person)
	}
	var page []Owned
	err := s.persist(ctx, func() error {
		page = nil
		return s.db.owned(ctx, func(scan func(...any) error) error {
			var o Owned
			var created, updated int64
			var doc string
			err := scan(&o.Tenant, &o.Person, &o.ID, &o.Revision, &created, &updated, &doc)
			o.CreatedAt, o.UpdatedAt, o.Doc = microseconds(created), microseconds(updated), json.RawMessage(doc)
			page = append(page, o)
			return err
		}, where+ownedEnd+itoa(limit), values...)
	})
	if err != nil {
		return err
	}
	for _, o := range page {
		if err := each(o); err != nil {
			return err
		}
	}
	return nil
}

// owned implements [database].
func (s *sqliteDB) owned(ctx context.Context, each func(scan func(...any) error) error, rest string, values ...any) error {
	return s.rows(ctx, person{}, each, ownedBegin+rest, values...)
}

// owned implements [database]. Row-level security hides all rows but those of one person
// from the role of calls, so the owner of the tables reads them.
func (p *postgresDB) owned(ctx context.Context, each func(scan func(...any) error) error, rest string, values ...any) error {
	if err := p.prepare(ctx); err != nil {
		return postgresError(ctx, err)
	}
	rows, err := p.owner.QueryContext(ctx, numbered(ownedBegin+`::text`+rest), values...)
	if err != nil {
		return postgresError(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return postgresError(ctx, errors.Join(rows.Err(), rows.Close()))
}
