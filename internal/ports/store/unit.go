package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Unit is the store as one call sees it. It buffers the changes until Commit. It is safe
// for concurrent use.
type Unit struct {
	s       *Store
	person  person
	callID  string
	attempt int

	mu      sync.Mutex
	seen    map[key]version // as read
	changes map[key]*change
	order   []key // of changes
	stale   bool
	clock   int64 // the time of the last insert, in microseconds
}

var _ tool.Store = (*Unit)(nil)

type key struct{ collection, id string }

// version is a document as it was read.
type version struct{ revision, size, created int64 }

// change is the sum of a unit's changes of one document.
type change struct {
	key
	base     version // revision 0 for a new document
	revision int64   // 0 for a document that is deleted
	created  int64   // in Unix microseconds
	updated  int64
	size     int64
	doc      json.RawMessage
	words    []string // nil if the collection is not searched
	keys     keys
}

// maxDocument is the greatest size of a document, as JSON.
const maxDocument = 4 << 20

// rowSize is the size that a document counts in addition to its JSON.
const rowSize = 100

// Reset forgets all that the unit has read and changed.
func (u *Unit) Reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen, u.changes, u.order, u.stale, u.clock = map[key]version{}, map[key]*change{}, nil, false, 0
}

// now returns the time in microseconds, later than any time that it returned before.
func (u *Unit) now() int64 {
	u.clock = max(u.clock+1, u.s.opts.Now().UnixMicro())
	return u.clock
}

// Insert implements [tool.Store].
func (u *Unit) Insert(ctx context.Context, shape *tool.Shape, doc json.RawMessage) (tool.Row, error) {
	if err := checkDocument(shape, doc); err != nil {
		return tool.Row{}, err
	}
	if err := u.indexed(ctx, shape); err != nil {
		return tool.Row{}, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	k := key{shape.Name, u.s.opts.NewID()}
	at := u.now()
	c := &change{key: k, revision: 1, created: at, updated: at}
	c.set(shape, doc)
	u.put(c)
	return c.row(), nil
}

// Get implements [tool.Store].
func (u *Unit) Get(ctx context.Context, shape *tool.Shape, id string) (tool.Row, error) {
	u.mu.Lock()
	c := u.changes[key{shape.Name, id}]
	u.mu.Unlock()
	switch {
	case c != nil && c.revision == 0:
		return tool.Row{}, missing(shape, id)
	case c != nil:
		return c.row(), nil
	case strings.ContainsRune(id, 0): // PostgreSQL does not compare it
		return tool.Row{}, missing(shape, id)
	}
	rows, err := u.read(ctx, shape, `AND id = ?`, id)
	if err != nil {
		return tool.Row{}, err
	}
	if len(rows) == 0 {
		return tool.Row{}, missing(shape, id)
	}
	return rows[0], nil
}

func missing(shape *tool.Shape, id string) error {
	return tool.Fail(tool.NotFound, "there is nothing with the id %q in %s", id, shape.Name)
}

// Update implements [tool.Store].
func (u *Unit) Update(ctx context.Context, shape *tool.Shape, id string, revision int64, doc json.RawMessage) (tool.Row, error) {
	if err := checkDocument(shape, doc); err != nil {
		return tool.Row{}, err
	}
	if err := u.indexed(ctx, shape); err != nil {
		return tool.Row{}, err
	}
	c, err := u.begin(ctx, shape, id, revision)
	if err != nil {
		return tool.Row{}, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	c.revision++
	c.updated = u.now()
	c.set(shape, doc)
	u.put(c)
	return c.row(), nil
}

// Delete implements [tool.Store].
func (u *Unit) Delete(ctx context.Context, shape *tool.Shape, id string, revision int64) error {
	c, err := u.begin(ctx, shape, id, revision)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	c.revision, c.doc, c.words, c.keys = 0, nil, nil, keys{}
	u.put(c)
	return nil
}

// begin returns the change of a document that has the revision. A document that the unit
// has read is not read again: if it was changed since, the commit fails.
func (u *Unit) begin(ctx context.Context, shape *tool.Shape, id string, revision int64) (*change, error) {
	k := key{shape.Name, id}
	u.mu.Lock()
	_, read := u.seen[k]
	buffered := u.changes[k]
	u.mu.Unlock()
	if buffered != nil && buffered.revision == 0 || buffered == nil && !read {
		if _, err := u.Get(ctx, shape, id); err != nil {
			return nil, err
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	v := u.seen[k]
	c := &change{key: k, base: v, revision: v.revision, created: v.created}
	if buffered != nil {
		*c = *buffered
	}
	if revision != 0 && revision != c.revision {
		return nil, tool.Fail(tool.ValidationError, "%s in %s has revision %d now, not %d: read it again", id, shape.Name, c.revision, revision)
	}
	return c, nil
}

// put buffers a change. A document that the unit itself has made and deleted is none.
func (u *Unit) put(c *change) {
	if _, again := u.changes[c.key]; !again {
		u.order = append(u.order, c.key)
	}
	u.changes[c.key] = c
}

// note remembers a version that was read. Of two different ones the first counts, so that
// the commit fails.
func (u *Unit) note(k key, v version) {
	if first, again := u.seen[k]; again && first.revision != v.revision {
		u.stale = true
		return
	}
	u.seen[k] = v
}

func (c *change) set(shape *tool.Shape, doc json.RawMessage) {
	c.doc, c.size, c.words = slices.Clone(doc), int64(len(doc))+rowSize, nil
	if len(shape.Search) > 0 {
		c.words = wordsOf(shape, doc)
	}
	c.keys = keysOf(shape, doc)
}

func (c *change) row() tool.Row {
	return tool.Row{
		ID:        c.id,
		Revision:  c.revision,
		CreatedAt: time.UnixMicro(c.created).UTC(),
		UpdatedAt: time.UnixMicro(c.updated).UTC(),
		Doc:       slices.Clone(c.doc),
	}
}

// read returns the documents of a collection that a condition selects.
func (u *Unit) read(ctx context.Context, shape *tool.Shape, condition string, values ...any) ([]tool.Row, error) {
	if err := checkShape(shape); err != nil {
		return nil, err
	}
	var rows []tool.Row
	var versions []version
	statement := `SELECT id, revision, created, updated, size, doc FROM store_row WHERE tenant = ? AND person = ? AND collection = ? ` +
		condition
	values = append([]any{u.person.tenant, u.person.name, shape.Name}, values...)
	err := u.s.persist(ctx, func() error {
		rows, versions = rows[:0], versions[:0]
		return u.s.db.rows(ctx, u.person, func(scan func(...any) error) error {
			var row tool.Row
			var v version
			var created, updated int64
			var doc string
			if err := scan(&row.ID, &v.revision, &created, &updated, &v.size, &doc); err != nil {
				return err
			}
			v.created = created
			row.Revision, row.Doc = v.revision, json.RawMessage(doc)
			row.CreatedAt, row.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
			rows, versions = append(rows, row), append(versions, v)
			return nil
		}, statement, values...)
	})
	if err != nil {
		return nil, storeError(err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range rows {
		u.note(key{shape.Name, rows[i].ID}, versions[i])
	}
	return rows, nil
}
