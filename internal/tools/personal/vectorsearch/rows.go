package vectorsearch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/lib/vector"
	"github.com/helve-dev/helve/tool"
)

// row is a vector in the store.
type row struct {
	// V is the encoded vector. It is the first member of the JSON, where read finds it
	// without parsing: PostgreSQL keeps the shortest names first, SQLite the text.
	V         string          `json:"v"`
	ID        string          `json:"id"`
	Namespace string          `json:"ns,omitempty"`
	Word      string          `json:"word"`
	Text      string          `json:"text,omitempty"`
	Metadata  json.RawMessage `json:"meta,omitempty"`
}

// rowsOf returns the shape of a collection's rows. The full-text index finds a row by its
// word, which stands for its id: the store has no other index over a member.
func rowsOf(c tool.Record[stored]) *tool.Shape {
	return &tool.Shape{Name: "vec_" + c.ID, Fields: map[string]tool.FieldKind{"word": tool.KindText}, Search: []string{"word"}}
}

// logOf returns the shape of a collection's log.
func logOf(c tool.Record[stored]) *tool.Shape {
	return &tool.Shape{Name: "veclog_" + c.ID, Fields: map[string]tool.FieldKind{"rows": tool.KindList}}
}

// wordOf returns the word for an id in a namespace.
func wordOf(namespace, id string) string {
	sum := sha256.Sum256([]byte(namespace + "\x00" + id))
	return hex.EncodeToString(sum[:16])
}

// read reads a document. The vector is left encoded.
func read(doc json.RawMessage) (row, []byte, error) {
	var r row
	for _, begin := range []string{`{"v":"`, `{"v": "`} {
		rest, found := bytes.CutPrefix(doc, []byte(begin))
		end := bytes.IndexByte(rest, '"')
		if !found || end < 0 || end+2 >= len(rest) || rest[end+1] != ',' {
			continue
		}
		members := append([]byte{'{'}, rest[end+2:]...)
		return r, rest[:end], json.Unmarshal(members, &r)
	}
	err := json.Unmarshal(doc, &r)
	return r, []byte(r.V), err
}

// unreadable returns the error for a document that is not of this version.
func unreadable(err error) error {
	return tool.Fail(tool.Internal, "a stored vector is not readable by this version").Because(err)
}

// rowsByID returns the rows of a list of ids; those that are gone are left out.
func rowsByID(ctx context.Context, call *tool.Call, c tool.Record[stored], ids []string) ([]tool.Row, error) {
	var all []tool.Row
	for part := range slices.Chunk(ids, 400) {
		found, err := call.Store.Query(ctx, rowsOf(c), tool.Query{
			Where: []tool.Condition{tool.Where(tool.FieldID, tool.In, part)}, Limit: len(part),
		})
		if err != nil {
			return nil, err
		}
		all = append(all, found.Rows...)
	}
	return all, nil
}

// rowsFor returns the rows of an id, the newest first. There is more than one if two calls
// stored a new id at the same time.
func rowsFor(ctx context.Context, call *tool.Call, c tool.Record[stored], namespace, id string) ([]tool.Row, error) {
	found, err := call.Store.Query(ctx, rowsOf(c), tool.Query{Text: wordOf(namespace, id), Limit: 100})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found.Rows, func(a, b tool.Row) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return found.Rows, nil
}

// count returns the number of a collection's rows.
func count(ctx context.Context, call *tool.Call, c tool.Record[stored]) (int, error) {
	groups, err := call.Store.Aggregate(ctx, rowsOf(c), tool.AggregateQuery{})
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return groups[0].Count, nil
}

// eachRow calls visit with all rows of a collection, the oldest first.
func eachRow(ctx context.Context, call *tool.Call, c tool.Record[stored], visit func(page []tool.Row) error) error {
	// A page of 4 MB, whatever the length of the vectors is.
	q := tool.Query{Order: []tool.Order{{Field: tool.FieldCreated}}, Limit: max(10, min(tool.MaxPage, 1000*768/max(1, c.Value.Dimensions)))}
	for {
		page, err := call.Store.Query(ctx, rowsOf(c), q)
		if err != nil {
			return err
		}
		if err := visit(page.Rows); err != nil || page.Next == "" {
			return err
		}
		q.Cursor = page.Next
	}
}

const (
	// logAge is the time for which an entry of a log is kept.
	logAge = 24 * time.Hour
	// pruned is the number of old entries that a call removes.
	pruned = 20
)

// record stores in the log that rows were changed, and removes old entries.
func record(ctx context.Context, call *tool.Call, c tool.Record[stored], rows []string) error {
	doc, err := json.Marshal(map[string][]string{"rows": rows})
	if err != nil {
		return err
	}
	entry, err := call.Store.Insert(ctx, logOf(c), doc)
	if err != nil {
		return err
	}
	old, err := call.Store.Query(ctx, logOf(c), tool.Query{
		Where: []tool.Condition{tool.Where(tool.FieldCreated, tool.Less, entry.CreatedAt.Add(-logAge))},
		Order: []tool.Order{{Field: tool.FieldCreated}}, Limit: pruned,
	})
	if err != nil || len(old.Rows) < pruned { // seldom, since calls that remove the same entries run again
		return err
	}
	for _, e := range old.Rows {
		if err := call.Store.Delete(ctx, logOf(c), e.ID, e.Revision); err != nil {
			return err
		}
	}
	return nil
}

// put adds a row to an index.
func (m marker) put(index *vector.Index, scratch []float32, at tool.Row) ([]float32, error) {
	r, encoded, err := read(at.Doc)
	if err != nil {
		return scratch, unreadable(err)
	}
	v, err := vector.Decode(scratch, encoded)
	if err != nil {
		return scratch, unreadable(err)
	}
	marks, err := m.of(r.Namespace, r.Metadata)
	if err != nil {
		return v, unreadable(err)
	}
	index.Set(at.ID, v, marks)
	return v, nil
}
