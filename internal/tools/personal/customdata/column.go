package customdata

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
)

// The types of columns.
const (
	typeText     = "text"
	typeNumber   = "number"
	typeBoolean  = "boolean"
	typeDate     = "date"
	typeDatetime = "datetime"
	typeJSON     = "json"
)

// column is a column of a stored table.
type column struct {
	// Number names the column in documents.
	Number      int    `json:"number"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Type        string `json:"type"`
	Required    bool   `json:"required,omitempty"`
	Unique      bool   `json:"unique,omitempty"`
	// Default is the value of a record that is added without one; empty for none.
	Default     string `json:"default,omitempty"`
	Description string `json:"description,omitempty"`
}

// shownColumn is a column as a model gives and sees it.
type shownColumn struct {
	Name         string           `json:"name" doc:"The name in records: a letter, then letters, digits and _, at most 63 characters." min:"1" max:"63"`
	DisplayName  string           `json:"displayName" doc:"A title for people."`
	Type         string           `json:"type" doc:"The type of its values." enum:"text,number,boolean,date,datetime,json"`
	Required     bool             `json:"required,omitempty" doc:"Whether each record must have a value."`
	Unique       bool             `json:"unique,omitempty" doc:"Whether no two records may have the same value; no value and an empty text are not compared."`
	DefaultValue *json.RawMessage `json:"defaultValue,omitempty" doc:"The value of a record that is added without one: a text, a number, true or false."`
	Description  string           `json:"description,omitempty" doc:"What it is for."`
}

func (c *column) show() shownColumn {
	s := shownColumn{
		Name:        c.Name,
		DisplayName: c.DisplayName,
		Type:        c.Type,
		Required:    c.Required,
		Unique:      c.Unique,
		Description: c.Description,
	}
	if c.Default != "" {
		raw := json.RawMessage(c.Default)
		s.DefaultValue = &raw
	}
	return s
}

// field returns the name of a member of documents: "c" for the value, "z" for whether it
// is 0 or an empty text, "t" for the texts in a JSON value.
func (c *column) field(kind string) string { return fieldOf(kind, c.Number) }

func fieldOf(kind string, number int) string { return kind + strconv.Itoa(number) }

// indexable reports whether conditions may name the column.
func (c *column) indexable() bool { return c.Type != typeJSON }

// columnInput is a column as a call gives it. Its schema is shown and not enforced, so that
// a column without a display name is accepted and a wrong one is refused by its name.
type columnInput struct {
	shownColumn

	wrong error
}

// UnmarshalJSON implements [json.Unmarshaler].
func (in *columnInput) UnmarshalJSON(data []byte) error {
	if err := batch.Decode(data, &in.shownColumn); err != nil {
		in.wrong = tool.Fail(tool.ValidationError,
			`it does not have the form of a column, such as {"name":"title","displayName":"Title","type":"text"}: %s`, tool.AsError(err).Msg)
	}
	return nil
}

// new returns the column to store. What names the parameter.
func (in *columnInput) new(what string) (column, error) {
	c := column{
		Name:        strings.TrimSpace(in.Name),
		Type:        in.Type,
		Required:    in.Required,
		Unique:      in.Unique,
		Description: strings.TrimSpace(in.Description),
	}
	if in.wrong != nil {
		return c, tool.Fail(tool.ValidationError, "%s: %s", what, tool.AsError(in.wrong).Msg)
	}
	if err := checkName(what+".name", c.Name); err != nil {
		return c, err
	}
	switch c.Type {
	case typeText, typeNumber, typeBoolean, typeDate, typeDatetime, typeJSON:
	default:
		return c, tool.Fail(tool.ValidationError, "%s.type of %s is %.80q, and must be text, number, boolean, date, datetime or json",
			what, c.Name, c.Type)
	}
	if c.Unique && !c.indexable() {
		return c, tool.Fail(tool.ValidationError, "%s: a json column such as %s cannot be unique", what, c.Name)
	}
	var err error
	if c.DisplayName, err = display(what+".displayName", in.DisplayName, c.Name); err != nil {
		return c, err
	}
	if err := checkText(what+".description", c.Description, maxDescription); err != nil {
		return c, err
	}
	return c, c.setDefault(what+".defaultValue", in.DefaultValue)
}

// maxDefault bounds a default value, in bytes.
const maxDefault = 10_000

func (c *column) setDefault(what string, given *json.RawMessage) error {
	if given == nil {
		return nil
	}
	v, err := c.value(*given)
	if err != nil || v == nil {
		return prefixed(what, err)
	}
	if len(v) > maxDefault {
		return tool.Fail(tool.ValidationError, "%s is %d bytes long, and at most %d are allowed", what, len(v), maxDefault)
	}
	if c.Unique {
		return tool.Fail(tool.ValidationError, "%s: a unique column cannot have a default value, which only one record could have", what)
	}
	c.Default = string(v)
	return nil
}

// prefixed returns a validation error with the parameter that it is about.
func prefixed(what string, err error) error {
	if e := tool.AsError(err); e != nil && e.Kind == tool.ValidationError {
		return tool.Fail(tool.ValidationError, "%s: %s", what, e.Msg)
	}
	return err
}

// addColumns adds columns to a table that has not been stored yet. What is the parameter.
func (t *stored) addColumns(what string, list []columnInput) error {
	for i := range list {
		at := fmt.Sprintf("%s[%d]", what, i)
		c, err := list[i].new(at)
		if err != nil {
			return err
		}
		if t.column(c.Name) != nil {
			return tool.Fail(tool.ValidationError, "%s.name: the table has two columns %q; names differ in more than case", at, c.Name)
		}
		t.Made++
		c.Number = t.Made
		t.Columns = append(t.Columns, c)
	}
	unique := 0
	for _, c := range t.Columns {
		if c.Unique {
			unique++
		}
	}
	switch {
	case len(t.Columns) == 0:
		return tool.Fail(tool.ValidationError,
			`a table needs at least one column in columns, such as {"name":"title","displayName":"Title","type":"text"}`)
	case len(t.Columns) > maxColumns:
		return tool.Fail(tool.ValidationError, "a table has at most %d columns, not %d", maxColumns, len(t.Columns))
	case unique > maxUnique:
		return tool.Fail(tool.ValidationError, "a table has at most %d unique columns, not %d", maxUnique, unique)
	}
	t.index()
	return nil
}

// column returns the column of a name, in any case; nil if there is none.
func (t *stored) column(name string) *column {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return &t.Columns[i]
		}
	}
	return nil
}

// named returns the column of a name that a caller gave.
func (t *stored) named(name string) (*column, error) {
	if c := t.column(name); c != nil {
		return c, nil
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return nil, tool.Fail(tool.ValidationError, "the table %s has no column %.80q; its columns are %s",
		t.Name, name, strings.Join(names, ", "))
}
