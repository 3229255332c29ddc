package finance

import (
	"github.com/helve-dev/helve/tool"
)

// span is the days of a query, both included. Empty ends are open.
type span struct{ start, end string }

// spanOf reads the days of a query.
func spanOf(start, end string) (s span, err error) {
	if start != "" {
		if s.start, err = day("startDate", start); err != nil {
			return s, err
		}
	}
	if end != "" {
		if s.end, err = day("endDate", end); err != nil {
			return s, err
		}
	}
	if s.start != "" && s.end != "" && s.start > s.end {
		return s, tool.Fail(tool.ValidationError, "startDate %s is after endDate %s", s.start, s.end)
	}
	return s, nil
}

// query returns the query for the expenses of the days, newest first, of a category unless
// it is empty.
func (s span) query(category string) tool.Query {
	q := tool.Query{Order: []tool.Order{{Field: "date", Down: true}, {Field: tool.FieldCreated, Down: true}}}
	if s.start != "" {
		q.Where = append(q.Where, tool.Where("date", tool.GreaterEqual, s.start))
	}
	if s.end != "" {
		q.Where = append(q.Where, tool.Where("date", tool.LessEqual, s.end))
	}
	if category != "" {
		q.Where = append(q.Where, tool.Where("category", tool.Equal, category))
	}
	return q
}
