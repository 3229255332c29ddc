package audit

import (
	"errors"
	"strconv"
	"time"
)

// How many records a page holds: what is meant by a limit of 0, and the most.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// ErrCursor says that a query's cursor is none that a page has given.
var ErrCursor = errors.New("the cursor is not one that a page of records gave: send the `next` of the page before, or none for the first page")

// Query asks for the records of one tenant. An empty field asks for nothing;
// those that are set must all hold, and mean equality.
type Query struct {
	// Tenant is always meant: without it there are no records.
	Tenant       string
	TraceID      string
	CallID       string
	Tool         string
	User         string
	Agent        string
	Conversation string
	Status       string // of the result
	ErrorType    string // of the result
	Phase        string
	Outcome      string // of the decision
	// From and To bound the records' time to the microsecond: From is in, To
	// is not.
	From, To time.Time
	// Limit is how many records a page holds at most.
	Limit int
	// Cursor is the Next of the page before.
	Cursor string
}

// Page is a part of the answer to a Query, the oldest record first.
type Page struct {
	Records []Record `json:"records"`
	// Next is the cursor of the page that follows, empty when there is none
	// yet.
	Next string `json:"next,omitempty"`
}

// PageSize is Limit within its bounds.
func (q *Query) PageSize() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// After is the place in the stream that the page begins behind, 0 for the first
// page. Its error is ErrCursor.
func (q *Query) After() (uint64, error) {
	if q.Cursor == "" {
		return 0, nil
	}
	seq, err := strconv.ParseUint(q.Cursor, 10, 63)
	if err != nil || CursorAt(seq) != q.Cursor {
		return 0, ErrCursor
	}
	return seq, nil
}

// CursorAt is the cursor of the page that begins behind seq.
func CursorAt(seq uint64) string { return strconv.FormatUint(seq, 10) }

// Matches tells whether q asks for r, apart from where q's page begins. A time
// that is not set is before every From.
func (q *Query) Matches(r *Record) bool {
	var decision Decision
	if r.Decision != nil {
		decision = *r.Decision
	}
	var result Result
	if r.Result != nil {
		result = *r.Result
	}
	for _, field := range [...]struct{ want, is string }{
		{q.TraceID, r.TraceID},
		{q.CallID, r.CallID},
		{q.Tool, r.Tool},
		{q.User, r.User},
		{q.Agent, r.Agent},
		{q.Conversation, r.Conversation},
		{q.Status, result.Status},
		{q.ErrorType, result.ErrorType},
		{q.Phase, string(r.Phase)},
		{q.Outcome, decision.Outcome},
	} {
		if field.want != "" && field.want != field.is {
			return false
		}
	}
	at := r.Time.UnixMicro()
	return r.Tenant == q.Tenant &&
		(q.From.IsZero() || at >= q.From.UnixMicro()) &&
		(q.To.IsZero() || at < q.To.UnixMicro())
}
