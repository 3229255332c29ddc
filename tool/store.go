package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Store keeps the data of the call's tenant and user: JSON documents in collections.
// Tools use it through a [Collection], which gives it a Go type. Data of other persons
// cannot be named. Errors are [*Error].
//
// Reads return committed data; Get also returns what the call itself has changed.
// Changes are buffered. After Run has returned they are committed together with the
// call's result, all or none; if Run fails, none. If another call has changed a document
// since this call read it, Run runs again on the new data. So Run must not act outside
// the store unless repeating that does no harm.
type Store interface {
	// Insert adds a document and returns it with its new id.
	Insert(ctx context.Context, shape *Shape, doc json.RawMessage) (Row, error)
	// Get returns a document. The error is not_found if there is none.
	Get(ctx context.Context, shape *Shape, id string) (Row, error)
	// Update replaces the document that has the revision; revision 0 stands for the
	// current one. The error is not_found if there is no document, and
	// validation_error if it has another revision.
	Update(ctx context.Context, shape *Shape, id string, revision int64, doc json.RawMessage) (Row, error)
	// Delete removes a document, under the same conditions as Update.
	Delete(ctx context.Context, shape *Shape, id string, revision int64) error
	// Touch orders this call with others of the person that touch the same name: of two
	// that overlap, the second to commit runs again. It serves rules over several
	// documents, such as a name that is given once. A name has the form of [Shape].Name.
	Touch(ctx context.Context, name string) error
	// Transaction runs change on a store of its own and commits its changes immediately,
	// all or none, whatever becomes of the call. It runs change again if another call has
	// changed what it read. It serves tools that act outside the store, and are not
	// transactional: to reserve something before they act, and to keep a result even if
	// the call fails. The error is that of change, or overloaded, after which the changes
	// may have been committed if the database did not answer.
	Transaction(ctx context.Context, change func(Store) error) error
	// Query returns a page of the committed documents that match.
	Query(ctx context.Context, shape *Shape, q Query) (Page, error)
	// Aggregate counts and sums the committed documents that match.
	Aggregate(ctx context.Context, shape *Shape, q AggregateQuery) ([]Group, error)
}

// Row is a stored document.
type Row struct {
	// ID is unique in the collection of the person.
	ID string
	// Revision is 1 after Insert and grows with each Update.
	Revision  int64
	CreatedAt time.Time
	UpdatedAt time.Time
	Doc       json.RawMessage
}

// FieldKind is the kind of the values of a field.
type FieldKind int

// The kinds of fields. Conditions and order apply to all but KindOther.
const (
	KindText FieldKind = iota + 1
	KindNumber
	KindBoolean
	KindTime
	// KindList is a list of texts; conditions use [Has] only.
	KindList
	// KindOther is any other value.
	KindOther
)

// Shape is a collection as a Store sees it: its name, the kinds of its top-level fields,
// and the fields that full-text search and the indexes read. [NewCollection] derives it
// from a struct; a tool whose users define fields makes its own.
type Shape struct {
	// Name is 1 to 64 lower-case letters, digits and _, and begins with a letter.
	Name   string
	Fields map[string]FieldKind
	Search []string
	// Unique are fields of which no two documents of the person have the same value. A
	// document without the field, or with null or an empty text, is not compared. A call
	// that violates it ends with validation_error when it is committed. The fields are
	// indexed.
	Unique []string
	// Index are more fields that are indexed: conditions and order read only the matching
	// documents. Of long texts the order compares the first 168 bytes.
	//
	// A field may be added at any time: documents that were stored before are indexed at
	// the next use of the collection, about 20,000 of them in a second. Of documents that
	// violate a new Unique, one is compared with later ones.
	Index []string
}

// MaxUnique and MaxIndexed bound the fields of a [Shape]: its Unique ones, and those of
// Unique and Index together.
const (
	MaxUnique  = 4
	MaxIndexed = 8
)

// Fields of every document that conditions and order may name.
const (
	FieldID      = "_id"
	FieldCreated = "_createdAt"
	FieldUpdated = "_updatedAt"
)

// FieldSize is the number of bytes that a document counts, for the sum of an
// [AggregateQuery].
const FieldSize = "_size"

// Op compares the value of a field.
type Op string

// The comparisons. A field that a document does not have has the zero value of its kind.
const (
	Equal        Op = "="
	NotEqual     Op = "!="
	Less         Op = "<"
	LessEqual    Op = "<="
	Greater      Op = ">"
	GreaterEqual Op = ">="
	// In wants one of the values of a slice.
	In Op = "in"
	// Has wants a list that has the value.
	Has Op = "has"
)

// Condition is a comparison of a field with a value.
type Condition struct {
	Field string
	Op    Op
	Value any
}

// Where returns a condition: the field's value, the comparison, the other value.
func Where(field string, op Op, value any) Condition {
	return Condition{Field: field, Op: op, Value: value}
}

// Order is a field to sort by.
type Order struct {
	Field string
	// Down sorts the greatest value first.
	Down bool
}

// MaxPage is the largest page that a [Query] returns.
const MaxPage = 1000

// Query selects documents. The zero value selects all, newest first.
type Query struct {
	// Where lists the conditions, all of which must hold.
	Where []Condition
	// Text, if not blank, selects documents whose search fields have a word that begins
	// with each of its words, in any case and without regard to accents.
	Text string
	// Best puts the documents that match Text best first, in place of Order: those that
	// have its words as a whole, in the first search fields, and little else. Of more than
	// [MaxPage] matches the newest are ranked. Such a page has no Next; use Offset.
	Best bool
	// Order is followed by the id. Without any, newest documents come first.
	Order []Order
	// Limit bounds the page; it is 1 to [MaxPage], and 100 if it is 0.
	Limit int
	// Cursor is the Next of the page before. The rest of the query must be the same.
	Cursor string
	// Offset is the number of documents to skip, from the first one or from the cursor.
	Offset int
	// Total requests [Page].Total.
	Total bool
}

// Page is a part of the documents that a query selects.
type Page struct {
	Rows []Row
	// Next is the cursor of the following page; empty on the last one.
	Next string
	// Total is the number of documents on all pages.
	Total int
}

// AggregateQuery counts documents, and sums a number of them, by groups.
type AggregateQuery struct {
	Where []Condition
	Text  string
	// By are the fields of which each combination of values is a group. Without any
	// there is one group.
	By []string
	// Sum is a number field or [FieldSize]; empty for none.
	Sum string
}

// Group is the result of an [AggregateQuery] for one combination of values.
type Group struct {
	// By are the values in the order of the query's fields: strings, [Number] or bool.
	By    []any
	Count int
	// Sum is exact for whole numbers up to 2^63.
	Sum Number
}
