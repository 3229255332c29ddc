package customdata

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// given returns the values that a caller gave by the numbers of their columns, null
// included. What is the parameter.
func (t *stored) given(what string, data tool.Object) (values, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return nil, tool.Fail(tool.ValidationError, `%s must be an object of columns and their values, such as {"title":"Dune"}`, what)
	}
	v := values{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		c, err := t.named(name)
		if err != nil {
			return nil, prefixed(what, err)
		}
		if _, twice := v[c.Number]; twice {
			return nil, tool.Fail(tool.ValidationError, "%s: the column %s is named twice", what, c.Name)
		}
		if v[c.Number], err = c.value(members[name]); err != nil {
			return nil, prefixed(what+"."+c.Name, err)
		}
	}
	return v, nil
}

// new returns the values of a new record: those given, and defaults for columns that are
// not.
func (t *stored) new(what string, data tool.Object) (values, error) {
	v, err := t.given(what, data)
	if err != nil {
		return nil, err
	}
	for _, c := range t.Columns {
		if _, ok := v[c.Number]; !ok && c.Default != "" {
			v[c.Number] = json.RawMessage(c.Default)
		}
	}
	return v, t.complete(what, v)
}

// complete refuses values without a required one.
func (t *stored) complete(what string, v values) error {
	var absent []string
	for _, c := range t.Columns {
		if c.Required && v[c.Number] == nil {
			absent = append(absent, c.Name)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	return tool.Fail(tool.ValidationError, "%s: the table %s requires a value for %s", what, t.Name, strings.Join(absent, ", "))
}

// condition returns the condition that a record has the value; nil stands for no value.
func (c *column) condition(raw json.RawMessage) []tool.Condition {
	marked := c.Type == typeText || c.Type == typeNumber
	switch {
	case raw == nil && c.kind() == tool.KindNumber && marked:
		return []tool.Condition{tool.Where(c.field("c"), tool.Equal, 0), tool.Where(c.field("z"), tool.Equal, false)}
	case raw == nil && c.kind() == tool.KindNumber:
		return []tool.Condition{tool.Where(c.field("c"), tool.Equal, 0)}
	case raw == nil && marked:
		return []tool.Condition{tool.Where(c.field("c"), tool.Equal, ""), tool.Where(c.field("z"), tool.Equal, false)}
	case raw == nil:
		return []tool.Condition{tool.Where(c.field("c"), tool.Equal, "")}
	case c.Type == typeBoolean:
		return []tool.Condition{tool.Where(c.field("c"), tool.Equal, truth(raw))}
	case isZero(raw):
		return []tool.Condition{tool.Where(c.field("z"), tool.Equal, true)}
	case c.Type == typeNumber:
		return []tool.Condition{tool.Where(c.field("c"), tool.Equal, json.Number(raw))}
	}
	var text string
	_ = json.Unmarshal(raw, &text) // column.value has made it
	return []tool.Condition{tool.Where(c.field("c"), tool.Equal, text)}
}

// compared reports whether no other record may have the value. As in the store, no value
// and an empty text are not compared.
func (c *column) compared(raw json.RawMessage) bool {
	return c.Unique && raw != nil && string(raw) != `""`
}

// checkUnique refuses values that another record has in a unique column. Own is the row of
// the record itself, if it is stored. Of two calls with the same value that do not see each
// other, the store refuses the second to commit.
func checkUnique(ctx context.Context, call *tool.Call, t table, v values, own string) error {
	for i := range t.Value.Columns {
		c := &t.Value.Columns[i]
		raw := v[c.Number]
		if !c.compared(raw) {
			continue
		}
		page, err := call.Store.Query(ctx, shape(t), tool.Query{Where: c.condition(raw), Limit: 2})
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			if row.ID != own {
				return taken(c, raw, fmt.Sprintf("the record %s has it", recordID(t, row)))
			}
		}
	}
	return nil
}

// taken returns the error of a value that a unique column has already.
func taken(c *column, raw json.RawMessage, where string) error {
	return tool.Fail(tool.ValidationError, "%s must be unique, and %.80s is taken: %s", c.Name, raw, where)
}
