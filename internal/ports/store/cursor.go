package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// sortKey is a field that rows are sorted by.
type sortKey struct {
	field         string
	kind          tool.FieldKind
	column, place string
	down          bool
	slot          bool // column is that of an index
}

// orderOf returns the order of a query, which always ends with the id.
func orderOf(d dialect, shape *tool.Shape, q tool.Query) ([]sortKey, error) {
	order := q.Order
	if len(order) == 0 {
		order = []tool.Order{{Field: tool.FieldCreated, Down: true}}
	}
	last := order[len(order)-1]
	if slotOf(shape, last.Field) != "" { // the rest of the order is that of the index
		order = append(slices.Clip(order), tool.Order{Field: tool.FieldCreated, Down: last.Down})
	}
	if !slices.ContainsFunc(order, func(o tool.Order) bool { return o.Field == tool.FieldID }) {
		order = append(slices.Clip(order), tool.Order{Field: tool.FieldID, Down: last.Down})
	}
	keys := make([]sortKey, len(order))
	for i, o := range order {
		kind, err := kindOf(shape, o.Field)
		if err != nil {
			return nil, err
		}
		if kind == tool.KindList || kind == tool.KindOther {
			return nil, tool.Fail(tool.ValidationError, "%s cannot be sorted by", o.Field)
		}
		column, place := expression(d, o.Field, kind)
		slot := slotOf(shape, o.Field)
		if slot != "" {
			column, place = slot, "?"
		}
		keys[i] = sortKey{o.Field, kind, column, place, o.Down, slot != ""}
	}
	return keys, nil
}

// paged adds the condition of the cursor and the order.
func paged(s *statement, shape *tool.Shape, q tool.Query, keys []sortKey) error {
	if keys[0].slot {
		s.add(" AND " + keys[0].column + " IS NOT NULL") // as the index has it
	}
	if q.Cursor != "" {
		values, err := readCursor(shape, q, keys)
		if err != nil {
			return err
		}
		s.after(keys, values)
	}
	s.add(" ORDER BY ")
	for i, k := range keys {
		if i > 0 {
			s.add(", ")
		}
		if s.sort && k.field == tool.FieldCreated {
			s.add("+")
		}
		s.add(k.column)
		if k.down {
			s.add(" DESC")
		}
	}
	return nil
}

// after adds the condition that a row comes after the one with the values.
func (s *statement) after(keys []sortKey, values []any) {
	// The first column is bounded by itself, so that an index is read from there.
	first := " >= "
	if keys[0].down {
		first = " <= "
	}
	s.add(" AND "+keys[0].column+first+keys[0].place+" AND (", bindable(values[0]))
	for i, k := range keys {
		if i > 0 {
			s.add(" OR ")
		}
		s.add("(")
		for j, before := range keys[:i] {
			s.add(before.column+" = "+before.place+" AND ", bindable(values[j]))
		}
		op := " > "
		if k.down {
			op = " < "
		}
		s.add(k.column+op+k.place+")", bindable(values[i]))
	}
	s.add(")")
}

// position is a cursor: the query that it belongs to and the last row of the page. It
// holds no right: statements are bound to the person whatever it says.
type position struct {
	Query  string            `json:"q"`
	Values []json.RawMessage `json:"v"`
}

// queryHash tells a query from others: its collection, conditions, text and order.
func queryHash(shape *tool.Shape, q tool.Query) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%q\x00%q\x00%v", shape.Name, fmt.Sprint(q.Where), q.Text, q.Order))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

func cursorAt(shape *tool.Shape, q tool.Query, keys []sortKey, last *tool.Row) string {
	p := position{Query: queryHash(shape, q)}
	for _, k := range keys {
		v := valueIn(last, k.field, k.kind)
		if k.slot {
			v = keyOf(v)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return "" // cannot be: they are texts, numbers and booleans
		}
		p.Values = append(p.Values, raw)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func badCursor() error {
	return tool.Fail(tool.ValidationError, "the cursor does not belong to this list; begin again without one")
}

// maxCursor bounds a cursor; a text that is sorted by may be long.
const maxCursor = 64 << 10

// readCursor returns the values of a cursor of the query.
func readCursor(shape *tool.Shape, q tool.Query, keys []sortKey) ([]any, error) {
	var p position
	text, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil || len(text) > maxCursor || json.Unmarshal(text, &p) != nil || p.Query != queryHash(shape, q) || len(p.Values) != len(keys) {
		return nil, badCursor()
	}
	values := make([]any, len(keys))
	for i, k := range keys {
		if values[i], err = cursorValue(k, p.Values[i]); err != nil {
			return nil, badCursor()
		}
	}
	return values, nil
}

func cursorValue(k sortKey, raw json.RawMessage) (any, error) {
	switch {
	case k.field == tool.FieldCreated || k.field == tool.FieldUpdated:
		var at int64
		err := unmarshal(raw, &at)
		return at, err
	case k.slot:
		var key string
		err := unmarshal(raw, &key)
		if err == nil && (len(key) > maxKey || strings.ContainsRune(key, 0)) {
			err = badCursor()
		}
		return key, err
	case k.kind == tool.KindNumber:
		var n json.Number
		err := unmarshal(raw, &n)
		if err == nil && (n == "" || strings.HasPrefix(string(raw), `"`)) {
			err = badCursor()
		}
		return n, err
	case k.kind == tool.KindBoolean:
		var b bool
		err := unmarshal(raw, &b)
		return b, err
	default:
		var text string
		err := unmarshal(raw, &text)
		if err == nil && strings.ContainsRune(text, 0) {
			err = badCursor()
		}
		return text, err
	}
}

// unmarshal refuses null, which would leave v as it is.
func unmarshal(raw json.RawMessage, v any) error {
	if string(raw) == "null" {
		return badCursor()
	}
	return json.Unmarshal(raw, v)
}
