package store

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxGroups bounds the groups of one query.
	maxGroups = 10_000
	// maxGroupFields bounds the fields that make a group.
	maxGroupFields = 8
)

// Aggregate implements [tool.Store].
func (u *Unit) Aggregate(ctx context.Context, shape *tool.Shape, q tool.AggregateQuery) ([]tool.Group, error) {
	where, err := u.where(ctx, shape, q.Where, q.Text)
	if err != nil {
		return nil, err
	}
	if where == nil { // a text without words matches nothing
		if len(q.By) > 0 {
			return []tool.Group{}, nil
		}
		return []tool.Group{{By: []any{}, Sum: "0"}}, nil
	}
	columns, kinds, err := u.groupColumns(shape, q)
	if err != nil {
		return nil, err
	}
	sum, err := u.sum(shape, q.Sum)
	if err != nil {
		return nil, err
	}
	text := "SELECT " + strings.Join(append(columns, "count(*)", sum), ", ") +
		" FROM store_row WHERE tenant = ? AND person = ? AND collection = ? " + where.text.String()
	if len(columns) > 0 {
		list := strings.Join(columns, ", ")
		text += " GROUP BY " + list + " ORDER BY " + list
	}
	text += " LIMIT " + itoa(maxGroups)
	var groups []tool.Group
	err = u.s.persist(ctx, func() error {
		groups = []tool.Group{}
		return u.s.db.rows(ctx, u.person, func(scan func(...any) error) error {
			g, err := scanGroup(scan, kinds)
			groups = append(groups, g)
			return err
		}, text, append([]any{u.person.tenant, u.person.name, shape.Name}, where.values...)...)
	})
	return groups, storeError(err)
}

// sum returns the expression of the sum of a field, as text.
func (u *Unit) sum(shape *tool.Shape, field string) (string, error) {
	if field == "" {
		return "'0'", nil
	}
	column := "size"
	if field != tool.FieldSize {
		if kind, err := kindOf(shape, field); err != nil || kind != tool.KindNumber {
			return "", tool.Fail(tool.ValidationError, "%s is no number, so it cannot be summed", field)
		}
		column = u.s.db.field(field, tool.KindNumber)
	}
	return u.s.db.text("coalesce(sum(" + column + "), 0)"), nil
}

func (u *Unit) groupColumns(shape *tool.Shape, q tool.AggregateQuery) (columns []string, kinds []tool.FieldKind, err error) {
	if len(q.By) > maxGroupFields {
		return nil, nil, tool.Fail(tool.ValidationError, "groups are made of at most %d fields", maxGroupFields)
	}
	for _, field := range q.By {
		kind, err := kindOf(shape, field)
		if err != nil {
			return nil, nil, err
		}
		if kind == tool.KindList || kind == tool.KindOther || field == tool.FieldCreated || field == tool.FieldUpdated {
			return nil, nil, tool.Fail(tool.ValidationError, "%s cannot be grouped by", field)
		}
		column, _ := expression(u.s.db, field, kind)
		if kind == tool.KindNumber {
			column = u.s.db.text(column)
		}
		columns, kinds = append(columns, column), append(kinds, kind)
	}
	return columns, kinds, nil
}

func scanGroup(scan func(...any) error, kinds []tool.FieldKind) (tool.Group, error) {
	g := tool.Group{By: make([]any, len(kinds))}
	var sum string
	to := make([]any, len(kinds), len(kinds)+2)
	for i, kind := range kinds {
		switch kind {
		case tool.KindBoolean:
			to[i] = new(bool)
		default:
			to[i] = new(string)
		}
	}
	if err := scan(append(to, &g.Count, &sum)...); err != nil {
		return g, err
	}
	g.Sum = tool.Number(sum)
	for i, kind := range kinds {
		switch v := to[i].(type) {
		case *bool:
			g.By[i] = *v
		case *string:
			g.By[i] = *v
			if kind == tool.KindNumber {
				g.By[i] = tool.Number(*v)
			}
		}
	}
	return g, nil
}
