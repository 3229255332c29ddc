package store

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// statement is a part of a SQL statement with its values.
type statement struct {
	text   strings.Builder
	values []any
	sort   bool // sort the rows rather than read them in the order of store_row_created
}

func (s *statement) add(text string, values ...any) {
	s.text.WriteString(text)
	s.values = append(s.values, values...)
}

const defaultPage = 100

// Query implements [tool.Store].
func (u *Unit) Query(ctx context.Context, shape *tool.Shape, q tool.Query) (tool.Page, error) {
	if q.Limit == 0 {
		q.Limit = defaultPage
	}
	if q.Limit < 1 || q.Limit > tool.MaxPage {
		return tool.Page{}, tool.Fail(tool.ValidationError, "a page has 1 to %d items, not %d", tool.MaxPage, q.Limit)
	}
	if q.Offset < 0 {
		return tool.Page{}, tool.Fail(tool.ValidationError, "offset is %d, and must be 0 or more", q.Offset)
	}
	if q.Best && strings.TrimSpace(q.Text) != "" {
		return u.ranked(ctx, shape, q)
	}
	where, err := u.where(ctx, shape, q.Where, q.Text)
	if err != nil || where == nil {
		return tool.Page{}, err
	}
	keys, err := orderOf(u.s.db, shape, q)
	if err != nil {
		return tool.Page{}, err
	}
	var page statement
	page.add(where.text.String(), where.values...)
	page.sort = where.sort
	if err := paged(&page, shape, q, keys); err != nil {
		return tool.Page{}, err
	}
	page.add(" LIMIT " + itoa(q.Limit+1))
	if q.Offset > 0 {
		page.add(" OFFSET ?", q.Offset)
	}
	rows, err := u.read(ctx, shape, page.text.String(), page.values...)
	if err != nil {
		return tool.Page{}, err
	}
	result := tool.Page{Rows: rows, Total: len(rows)}
	if len(rows) > q.Limit {
		result.Rows = rows[:q.Limit]
		result.Next = cursorAt(shape, q, keys, &result.Rows[q.Limit-1])
	}
	if q.Total && (len(rows) > q.Limit || q.Cursor != "" || q.Offset > 0) {
		if result.Total, err = u.count(ctx, shape, where); err != nil {
			return tool.Page{}, err
		}
	}
	return result, nil
}

func (u *Unit) count(ctx context.Context, shape *tool.Shape, where *statement) (n int, err error) {
	err = u.s.persist(ctx, func() error {
		return u.s.db.rows(ctx, u.person, func(scan func(...any) error) error { return scan(&n) },
			`SELECT count(*) FROM store_row WHERE tenant = ? AND person = ? AND collection = ? `+where.text.String(),
			append([]any{u.person.tenant, u.person.name, shape.Name}, where.values...)...)
	})
	return n, storeError(err)
}

// where returns the conditions of a query. It is nil if nothing can match, because the
// text has no words.
func (u *Unit) where(ctx context.Context, shape *tool.Shape, conditions []tool.Condition, text string) (*statement, error) {
	if err := checkShape(shape); err != nil {
		return nil, err
	}
	if err := u.indexed(ctx, shape); err != nil {
		return nil, err
	}
	where := &statement{}
	for _, c := range conditions {
		if err := where.condition(u.s.db, shape, c); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(text) == "" {
		return where, nil
	}
	terms := words(text, maxTerms)
	if len(terms) == 0 {
		return nil, nil
	}
	condition, value := u.s.db.matches(ownerKeyOf(u.person, shape.Name), terms)
	where.add(" AND "+condition, value)
	return where, nil
}

// condition adds a condition.
func (s *statement) condition(d dialect, shape *tool.Shape, c tool.Condition) error {
	kind, err := kindOf(shape, c.Field)
	if err != nil {
		return err
	}
	if kind == tool.KindList || c.Op == tool.Has {
		if kind != tool.KindList || c.Op != tool.Has {
			return tool.Fail(tool.ValidationError, "%s: the comparison %q does not fit it", c.Field, c.Op)
		}
		v, err := comparableValue(c.Field, kind, c.Value)
		if err != nil {
			return err
		}
		s.add(" AND "+d.has(c.Field), v)
		return nil
	}
	switch c.Op {
	case tool.Equal, tool.NotEqual, tool.Less, tool.LessEqual, tool.Greater, tool.GreaterEqual:
		v, err := comparableValue(c.Field, kind, c.Value)
		if err != nil {
			return err
		}
		op := string(c.Op)
		if c.Op == tool.NotEqual {
			op = "<>"
		}
		column, place := expression(d, c.Field, kind)
		if slot := slotOf(shape, c.Field); slot != "" && exactKey(c.Op, keyOf(v)) {
			column, place, v = slot, "?", keyOf(v)
		}
		s.sort = s.sort || c.Field == tool.FieldID && c.Op == tool.Equal
		s.add(" AND "+column+" "+op+" "+place, bindable(v))
		return nil
	case tool.In:
		return s.in(d, shape, kind, c)
	case tool.Has: // of a field that is no list
	}
	return tool.Fail(tool.ValidationError, "%s: there is no comparison %q", c.Field, c.Op)
}

// maxIn bounds the values of one In.
const maxIn = 500

func (s *statement) in(d dialect, shape *tool.Shape, kind tool.FieldKind, c tool.Condition) error {
	list := reflect.ValueOf(c.Value)
	if list.Kind() != reflect.Slice || list.Len() > maxIn {
		return tool.Fail(tool.ValidationError, "%s: in needs a list of at most %d values", c.Field, maxIn)
	}
	if list.Len() == 0 {
		s.add(" AND 1 = 0")
		return nil
	}
	column, place := expression(d, c.Field, kind)
	slot := slotOf(shape, c.Field)
	if slot != "" {
		column, place = slot, "?"
	}
	if slot != "" || c.Field == tool.FieldID {
		s.sort = true // SQLite takes the order for more selective than the list
	}
	s.add(" AND " + column + " IN (")
	for i := range list.Len() {
		v, err := comparableValue(c.Field, kind, list.Index(i).Interface())
		if err != nil {
			return err
		}
		if i > 0 {
			s.add(", ")
		}
		if slot != "" {
			v = keyOf(v)
		}
		s.add(place, bindable(v))
	}
	s.add(")")
	return nil
}

// bindable returns a comparable value as drivers take it.
func bindable(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	return string(n)
}
