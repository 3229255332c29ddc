package audit

import "errors"

// ErrBehind means that a query found no record of a call or a trace while records of calls that
// have ended wait to be written to the trail, or to be indexed: they may be those.
var ErrBehind = errors.New("the audit trail is behind")

// Missed returns [ErrBehind] if a page that was read while the trail was behind has none of the
// records that were asked for by the name of their call or trace: such a page says nothing.
func (q *Query) Missed(page *Page, behind bool) error {
	if behind && len(page.Records) == 0 && (q.CallID != "" || q.TraceID != "") {
		return ErrBehind
	}
	return nil
}
