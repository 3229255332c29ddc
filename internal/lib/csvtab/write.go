package csvtab

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/tool"
)

// MaxCells limits a table: one column for each name of each object can be far more
// cells than values.
const MaxCells = 1 << 21

// Options holds the arguments of tools that write CSV.
type Options struct {
	Delimiter     string `json:"delimiter,omitempty" doc:"Character between values; a comma by default, \\t for tab."`
	IncludeHeader bool   `json:"includeHeader" default:"true" doc:"Begin with a row of names, if the rows are objects."`
}

// Text is the result of tools that write CSV.
type Text struct {
	CSV      string `json:"csv"`
	RowCount int    `json:"rowCount" doc:"Rows in csv, the header among them."`
}

// Present shows the text itself.
func (t Text) Present(res *tool.Result) { res.Text = t.CSV }

// Write converts a JSON array to CSV.
func (o Options) Write(name string, raw json.RawMessage) (Text, error) {
	delimiter, err := delimiterOf(o.Delimiter)
	if err != nil {
		return Text{}, err
	}
	header, rows, err := RowsOf(name, raw)
	if err != nil {
		return Text{}, err
	}
	w := writer{delimiter: delimiter}
	if header != nil && o.IncludeHeader {
		cells := make([]jsontext.Value, len(header))
		for i, name := range header {
			cells[i] = jsonwalk.AppendString(nil, name)
		}
		rows = append([][]jsontext.Value{cells}, rows...)
	}
	for _, row := range rows {
		if err := w.row(row); err != nil {
			return Text{}, err
		}
	}
	return Text{CSV: w.text.String(), RowCount: len(rows)}, nil
}

// RowsOf converts an array to rows: an array of objects, whose names become the header
// in order of first appearance, or an array of arrays. A nil value is missing.
func RowsOf(name string, raw json.RawMessage) (header []string, rows [][]jsontext.Value, err error) {
	value, err := jsonvalue.Argument(name, raw)
	if err != nil {
		return nil, nil, err
	}
	items := jsonwalk.Items(value)
	if len(items) == 0 || items[0].Kind() != '{' && items[0].Kind() != '[' {
		return nil, nil, tool.Fail(tool.ValidationError, "The parameter %s must be a non-empty array of objects or of arrays.", name)
	}
	for i, item := range items {
		if item.Kind() != items[0].Kind() {
			return nil, nil, tool.Fail(tool.ValidationError,
				"Item %d of %s is of type %s although the first one is of type %s; rows must all be objects, or all arrays.",
				i+1, name, jsonwalk.Kind(item), jsonwalk.Kind(items[0]))
		}
	}
	if items[0].Kind() == '{' {
		return objectRows(name, items)
	}
	for _, item := range items {
		rows = append(rows, jsonwalk.Items(item))
	}
	return nil, rows, nil
}

func objectRows(name string, items []jsontext.Value) (header []string, rows [][]jsontext.Value, err error) {
	column := map[string]int{}
	objects := make([][]jsonwalk.Member, len(items))
	for i, item := range items {
		objects[i] = jsonwalk.Members(item)
		for _, m := range objects[i] {
			if _, known := column[m.Name]; !known {
				column[m.Name] = len(header)
				header = append(header, m.Name)
			}
		}
	}
	switch {
	case header == nil:
		return nil, nil, tool.Fail(tool.ValidationError, "The objects in %s are empty; without members there are no columns.", name)
	case len(items)*len(header) > MaxCells:
		return nil, nil, tool.Fail(tool.ValidationError,
			"A table of %d rows and %d columns is too large; send fewer rows, or rows with the same members.", len(items), len(header))
	}
	for _, members := range objects {
		row := make([]jsontext.Value, len(header))
		for _, m := range members {
			row[column[m.Name]] = m.Value
		}
		rows = append(rows, row)
	}
	return header, rows, nil
}

// Cell returns the text of a value in a table; null and a missing value are empty.
func Cell(v jsontext.Value) string {
	if len(v) == 0 || v.Kind() == 'n' {
		return ""
	}
	if kind := v.Kind(); kind == '{' || kind == '[' {
		compact := append(jsontext.Value(nil), v...)
		if compact.Compact() == nil {
			return string(compact)
		}
	}
	return jsonwalk.Text(v)
}

// writer writes rows as in RFC 4180, but with \n between rows.
type writer struct {
	delimiter string
	text      strings.Builder
	started   bool
}

func (w *writer) row(cells []jsontext.Value) error {
	if w.started {
		w.text.WriteByte('\n')
	}
	w.started = true
	for i, cell := range cells {
		if i > 0 {
			w.text.WriteString(w.delimiter)
		}
		text := Cell(cell)
		if cell.Kind() == '"' && isFormula(text) {
			text = "'" + text
		}
		if w.text.Len()+2*len(text) > jsonvalue.MaxOutput {
			return tool.Fail(tool.ValidationError, "The CSV would be larger than 4 MiB; send fewer rows.")
		}
		if strings.ContainsAny(text, "\"\r\n") || strings.Contains(text, w.delimiter) || text == "" && len(cells) == 1 {
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"` // a single empty cell is quoted too, since an empty line is no row
		}
		w.text.WriteString(text)
	}
	return nil
}

// isFormula reports whether a spreadsheet would run text as a formula. Digits with
// signs, such as a number or +1 (415) 555-2671, are harmless and stay unchanged: they
// cannot contain a function or the name of a cell.
func isFormula(text string) bool {
	switch {
	case text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])):
		return false
	case text[0] != '+' && text[0] != '-':
		return true
	}
	if _, number := jsonvalue.ParseDecimal(text); number {
		return false
	}
	return strings.Trim(text, "0123456789 +-().") != ""
}
