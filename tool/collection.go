package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
)

// Collection is a collection of a [Store] whose documents are values of T, a struct.
// It holds no data; a package declares one and passes call.Store to its methods.
type Collection[T any] struct {
	shape Shape
	times []string // fields of kind KindTime
}

// Record is a stored value.
type Record[T any] struct {
	ID        string
	Revision  int64
	CreatedAt time.Time
	UpdatedAt time.Time
	Value     T
}

// Records are a page of a query.
type Records[T any] struct {
	List []Record[T]
	// Next and Total are those of [Page].
	Next  string
	Total int
}

var collectionName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// NewCollection returns the collection of that name. The fields of T are those of its
// JSON form. The tag store has one or more words with commas between them: "search", on a
// string or a list of strings, makes full-text search read it; "index" and "unique" put
// the field into the Index or Unique of the [Shape]. Fields may be added to T later:
// documents stored before have their zero values. NewCollection panics if name or T cannot
// be stored, which the first test shows.
func NewCollection[T any](name string) *Collection[T] {
	c := &Collection[T]{shape: Shape{Name: name, Fields: map[string]FieldKind{}}}
	t := reflect.TypeFor[T]()
	if !collectionName.MatchString(name) || t.Kind() != reflect.Struct {
		panic(fmt.Errorf("collection %q of %s: it needs a name of lower-case letters, digits and _, and a struct", name, t))
	}
	for _, f := range fields(t) {
		field, _, skip := fieldName(f)
		if skip {
			continue
		}
		kind := kindOf(f.Type)
		c.shape.Fields[field] = kind
		if kind == KindTime {
			c.times = append(c.times, field)
		}
		if tag := f.Tag.Get("store"); tag != "" {
			c.tag(field, kind, tag)
		}
	}
	if len(c.shape.Unique) > MaxUnique || len(c.shape.Unique)+len(c.shape.Index) > MaxIndexed {
		panic(fmt.Errorf("collection %q: at most %d fields may be indexed, %d of them unique", name, MaxIndexed, MaxUnique))
	}
	return c
}

// tag reads the tag store of a field.
func (c *Collection[T]) tag(field string, kind FieldKind, tag string) {
	for word := range strings.SplitSeq(tag, ",") {
		single := kind != KindList && kind != KindOther
		switch {
		case word == "search" && (kind == KindText || kind == KindList):
			c.shape.Search = append(c.shape.Search, field)
		case word == "index" && single:
			c.shape.Index = append(c.shape.Index, field)
		case word == "unique" && single:
			c.shape.Unique = append(c.shape.Unique, field)
		default:
			panic(fmt.Errorf("collection %q: field %s: store:%q must be search on a string or a list of strings, index or unique on a single value",
				c.shape.Name, field, tag))
		}
	}
}

// kindOf returns the kind of a field of type t.
func kindOf(t reflect.Type) FieldKind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	typ, format, err := jsonType(t)
	switch {
	case err != nil:
		panic(err)
	case format == "date-time":
		return KindTime
	case t == reflect.TypeFor[[]byte]():
		return KindOther
	case typ == "array" && t.Elem().Kind() == reflect.String:
		return KindList
	}
	switch typ {
	case "string":
		return KindText
	case "integer", "number":
		return KindNumber
	case "boolean":
		return KindBoolean
	}
	return KindOther
}

// Shape returns the collection as a [Store] sees it.
func (c *Collection[T]) Shape() *Shape { return &c.shape }

// Insert adds a value and returns its record.
func (c *Collection[T]) Insert(ctx context.Context, s Store, value T) (Record[T], error) {
	doc, err := c.encode(value)
	if err != nil {
		return Record[T]{}, err
	}
	row, err := s.Insert(ctx, &c.shape, doc)
	return record(row, value), err
}

// Get returns a record. The error is not_found if there is none of the id.
func (c *Collection[T]) Get(ctx context.Context, s Store, id string) (Record[T], error) {
	row, err := s.Get(ctx, &c.shape, id)
	if err != nil {
		return Record[T]{}, err
	}
	return c.decode(row)
}

// Update stores r.Value in place of the value that r was read with, and returns the new
// record.
func (c *Collection[T]) Update(ctx context.Context, s Store, r Record[T]) (Record[T], error) {
	doc, err := c.encode(r.Value)
	if err != nil {
		return Record[T]{}, err
	}
	row, err := s.Update(ctx, &c.shape, r.ID, r.Revision, doc)
	return record(row, r.Value), err
}

// Delete removes a record that was read.
func (c *Collection[T]) Delete(ctx context.Context, s Store, r Record[T]) error {
	return s.Delete(ctx, &c.shape, r.ID, r.Revision)
}

// Query returns the records that match.
func (c *Collection[T]) Query(ctx context.Context, s Store, q Query) (Records[T], error) {
	page, err := s.Query(ctx, &c.shape, q)
	if err != nil {
		return Records[T]{}, err
	}
	all := Records[T]{List: make([]Record[T], len(page.Rows)), Next: page.Next, Total: page.Total}
	for i, row := range page.Rows {
		if all.List[i], err = c.decode(row); err != nil {
			return Records[T]{}, err
		}
	}
	return all, nil
}

// Aggregate counts and sums the records that match.
func (c *Collection[T]) Aggregate(ctx context.Context, s Store, q AggregateQuery) ([]Group, error) {
	return s.Aggregate(ctx, &c.shape, q)
}

func record[T any](row Row, value T) Record[T] {
	return Record[T]{ID: row.ID, Revision: row.Revision, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, Value: value}
}

// storedTime is the form of times in documents, whose text sorts by time.
const storedTime = "2006-01-02T15:04:05.000000000Z"

// encode returns the document of a value.
func (c *Collection[T]) encode(value T) (json.RawMessage, error) {
	doc, err := Marshal(value)
	if err != nil {
		return nil, Fail(ValidationError, "the data cannot be stored as JSON").Because(err)
	}
	if len(c.times) == 0 {
		return doc, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(doc, &members); err != nil {
		return nil, err
	}
	for _, field := range c.times {
		var at *time.Time
		if err := json.Unmarshal(members[field], &at); err == nil && at != nil {
			members[field] = []byte(at.UTC().Format(`"` + storedTime + `"`))
		}
	}
	return Marshal(members)
}

func (c *Collection[T]) decode(row Row) (Record[T], error) {
	r := record(row, *new(T))
	if err := json.Unmarshal(row.Doc, &r.Value); err != nil {
		return r, Fail(Internal, "what is stored in %s under %s is not readable by this version", c.shape.Name, row.ID).Because(err)
	}
	return r, nil
}
