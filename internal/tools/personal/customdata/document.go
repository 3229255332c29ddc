package customdata

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

// values are the values of a record by the numbers of their columns, each in the form that
// column.value returns. What is null is absent.
type values map[int]json.RawMessage

// collection returns the name of the collection that holds the records of a table.
func collection(tableID string) string { return "custom_" + tableID }

// shape returns the records of a table as the store sees them.
func shape(t table) *tool.Shape {
	s := &tool.Shape{Name: collection(t.ID), Fields: map[string]tool.FieldKind{}}
	for i := range t.Value.Columns {
		c := &t.Value.Columns[i]
		s.Fields[c.field("c")] = c.kind()
		switch c.Type {
		case typeText, typeDate, typeDatetime:
			s.Search = append(s.Search, c.field("c"))
		case typeJSON:
			s.Fields[c.field("t")] = tool.KindList
			s.Search = append(s.Search, c.field("t"))
		}
		if c.Type == typeText || c.Type == typeNumber {
			s.Fields[c.field("z")] = tool.KindBoolean
		}
	}
	for _, slot := range t.Value.Indexed {
		field := fieldOf("c", slot.Number)
		s.Fields[field] = slot.Kind
		if c := t.Value.numbered(slot.Number); c != nil && c.Unique {
			s.Unique = append(s.Unique, field)
		} else {
			s.Index = append(s.Index, field)
		}
	}
	return s
}

// kind returns the kind of the column's values in documents. A boolean is 1 or 2, because
// the store does not tell false from a missing value.
func (c *column) kind() tool.FieldKind {
	if c.Type == typeNumber || c.Type == typeBoolean {
		return tool.KindNumber
	}
	return tool.KindText
}

// document returns the document of a record.
func (t *stored) document(v values) (json.RawMessage, error) {
	doc := map[string]any{}
	for i := range t.Columns {
		c := &t.Columns[i]
		raw := v[c.Number]
		if raw == nil {
			continue
		}
		switch c.Type {
		case typeBoolean:
			doc[c.field("c")] = truth(raw)
		case typeJSON:
			var parsed any
			if err := json.Unmarshal(raw, &parsed); err != nil {
				return nil, err
			}
			doc[c.field("c")] = string(raw) // a JSON value would lose its order and digits
			if texts := textsIn(parsed); len(texts) > 0 {
				doc[c.field("t")] = texts
			}
		default:
			doc[c.field("c")] = raw
			if isZero(raw) {
				doc[c.field("z")] = true
			}
		}
	}
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	err := enc.Encode(doc)
	return bytes.TrimSuffix(w.Bytes(), []byte("\n")), err
}

// isZero reports whether the store does not tell the value from a missing one.
func isZero(raw json.RawMessage) bool { return string(raw) == "0" || string(raw) == `""` }

// truth returns the number of a boolean in documents.
func truth(raw json.RawMessage) int {
	if string(raw) == "true" {
		return 2
	}
	return 1
}

// read returns the values of a document. Values of columns that were dropped are left out.
func (t *stored) read(doc json.RawMessage) (values, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(doc, &members); err != nil {
		return nil, tool.Fail(tool.Internal, "a record of %s is not readable by this version", t.Name).Because(err)
	}
	v := values{}
	for i := range t.Columns {
		c := &t.Columns[i]
		raw, ok := members[c.field("c")]
		if !ok {
			continue
		}
		switch c.Type {
		case typeBoolean:
			raw = json.RawMessage(map[string]string{"1": "false", "2": "true"}[string(raw)])
		case typeJSON:
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, tool.Fail(tool.Internal, "a record of %s is not readable by this version", t.Name).Because(err)
			}
			raw = json.RawMessage(text)
		case typeNumber:
			if exact, err := number(raw); err == nil { // a database may write it in another form
				raw = exact
			}
		default:
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, tool.Fail(tool.Internal, "a record of %s is not readable by this version", t.Name).Because(err)
			}
			raw = encoded(text) // likewise
		}
		v[c.Number] = raw
	}
	return v, nil
}

// showRecord returns a record as a model sees it: its id, its values in the order of the
// columns, and its times.
func showRecord(t table, row tool.Row, v values) tool.Object {
	var w bytes.Buffer
	member := func(name string, raw []byte) {
		if w.Len() > 1 {
			w.WriteByte(',')
		}
		w.WriteString(`"` + name + `":`)
		w.Write(raw)
	}
	w.WriteByte('{')
	member("id", encoded(recordID(t, row)))
	for _, c := range t.Value.Columns {
		if raw := v[c.Number]; raw != nil {
			member(c.Name, raw)
		}
	}
	member(tool.FieldCreated, encoded(row.CreatedAt.Format(time.RFC3339)))
	member(tool.FieldUpdated, encoded(row.UpdatedAt.Format(time.RFC3339)))
	w.WriteByte('}')
	return w.Bytes()
}

// showRow returns a record that was read.
func showRow(t table, row tool.Row) (tool.Object, error) {
	v, err := t.Value.read(row.Doc)
	if err != nil {
		return nil, err
	}
	return showRecord(t, row, v), nil
}
