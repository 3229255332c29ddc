package audit

import (
	"errors"
	"strings"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// The number of records of a page: for a limit of 0, and the maximum.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// ErrIndex means that the index of the trail is currently unavailable. The trail itself
// is complete, and the index catches up.
var ErrIndex = errors.New("the audit index cannot be asked now")

// ErrCursor means that a query's cursor does not come from a page.
var ErrCursor = errors.New("the cursor does not come from a page of records: send the `next` of the page before, or none for the " +
	"first page")

// Query selects records of one tenant. Empty fields select everything; all others must
// be equal.
type Query struct {
	// Tenant is required: without it there are no records.
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
	// Text is a part of any text of the record, in any case. Texts have no keys, so a page
	// looks at [TextMost] records at most, and its cursor goes on from there.
	Text string
	// From and To limit the records' time, to the microsecond; From is included, To is
	// not.
	From, To time.Time
	// Limit is the maximum number of records of a page.
	Limit int
	// Cursor is the Next of the page before.
	Cursor string
	// Late selects the final records of calls that ended so late; 0 selects all records.
	Late Lateness
	// Newest selects the newest records instead of the oldest.
	Newest bool
	// Before selects only records before a place, zero for all; only with Newest.
	Before Place
}

// TextMost is the number of records in which a page looks for a text.
const TextMost = 20_000

// Page is a part of the answer to a Query, the oldest record first.
type Page struct {
	Records []protocol.AuditRecord `json:"records"`
	// Next is the cursor of the next page, empty if there is none yet.
	Next string `json:"next,omitempty"`
	// Older is the place for Before of the page before this one of a Query with Newest,
	// empty if there is none.
	Older string `json:"older,omitempty"`
	// Stored holds the records in their stored form, for [Lookup].
	Stored [][]byte `json:"-"`
	// Before holds the last records on earlier pages of calls whose last records are on
	// this page, for [Lookup.Once]; nil if there are none.
	Before *Page `json:"-"`
}

// PageSize returns Limit within its bounds.
func (q *Query) PageSize() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// After returns the place after which the page begins, 0 for the first page. Its error
// is ErrCursor.
func (q *Query) After() (Place, error) {
	if q.Cursor == "" {
		return Place{}, nil
	}
	after, err := ParsePlace(q.Cursor)
	if err != nil {
		return Place{}, ErrCursor
	}
	return after, nil
}

// CursorAt returns the cursor of the page that begins after a place. For part 0 it has
// the form of versions without parts.
func CursorAt(at Place) string { return at.String() }

// Matches reports whether q selects r, ignoring where q's page begins. An unset time is
// before every From.
func (q *Query) Matches(r *protocol.AuditRecord) bool {
	var decision protocol.AuditDecision
	if r.Decision != nil {
		decision = *r.Decision
	}
	var result protocol.AuditResult
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
	return r.Tenant == q.Tenant && (q.Late == 0 || q.Late == LatenessOfRecord(r)) &&
		(q.From.IsZero() || at >= q.From.UnixMicro()) &&
		(q.To.IsZero() || at < q.To.UnixMicro()) &&
		q.Mentions(r)
}

// Mentions reports whether a text of r contains Text, in any case.
func (q *Query) Mentions(r *protocol.AuditRecord) bool {
	if q.Text == "" {
		return true
	}
	texts := []string{
		string(r.Phase), r.Tool, r.User, r.Agent, r.Conversation, r.By, r.Worker, r.Detail, r.CallID, r.TraceID, r.ConsentID, r.TokenID,
		r.GrantID, r.ArgsHash, r.ID, r.Origin,
	}
	if d := r.Decision; d != nil {
		texts = append(texts, d.Outcome, d.Reason, d.Rule)
	}
	if end := r.Result; end != nil {
		texts = append(texts, end.Status, end.ErrorType, end.Summary)
	}
	return strings.Contains(strings.ToLower(strings.Join(texts, "\n")), strings.ToLower(q.Text))
}
