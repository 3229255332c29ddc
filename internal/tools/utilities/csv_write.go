package utilities

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/tool"
)

// maxCells bounds a table: one column for each name of each object is far more
// cells than there are values.
const maxCells = 1 << 21

type csvWriteOptions struct {
	Delimiter     string `json:"delimiter,omitempty" doc:"Character between values; a comma by default, \\t for tab."`
	IncludeHeader bool   `json:"includeHeader" default:"true" doc:"Begin with a row of names, if the rows are objects."`
}

type csvText struct {
	CSV      string `json:"csv"`
	RowCount int    `json:"rowCount" doc:"Rows in csv, the header among them."`
}

// Present shows a model the text itself.
func (t csvText) Present(res *tool.Result) { res.Text = t.CSV }

// write makes CSV of a JSON array.
func (o csvWriteOptions) write(name string, raw json.RawMessage) (csvText, error) {
	delimiter, err := csvDelimiter(o.Delimiter)
	if err != nil {
		return csvText{}, err
	}
	header, rows, err := jsonTable(name, raw)
	if err != nil {
		return csvText{}, err
	}
	w := csvWriter{delimiter: delimiter}
	if header != nil && o.IncludeHeader {
		cells := make([]jsontext.Value, len(header))
		for i, name := range header {
			cells[i] = appendJSONString(nil, name)
		}
		rows = append([][]jsontext.Value{cells}, rows...)
	}
	for _, row := range rows {
		if err := w.row(row); err != nil {
			return csvText{}, err
		}
	}
	return csvText{CSV: w.text.String(), RowCount: len(rows)}, nil
}

// jsonTable makes rows of an array: of objects, whose names become the header in
// the order in which they first appear; or of arrays. A nil value is a missing one.
func jsonTable(name string, raw json.RawMessage) (header []string, rows [][]jsontext.Value, err error) {
	value, err := jsonArgument(name, raw)
	if err != nil {
		return nil, nil, err
	}
	items := jsonItems(value)
	if len(items) == 0 || items[0].Kind() != '{' && items[0].Kind() != '[' {
		return nil, nil, tool.Fail(tool.ValidationError, "The parameter %s must be a non-empty array of objects or of arrays.", name)
	}
	for i, item := range items {
		if item.Kind() != items[0].Kind() {
			return nil, nil, tool.Fail(tool.ValidationError, "Item %d of %s is of type %s although the first one is of type %s; rows must all be objects, or all arrays.", i+1, name, jsonKind(item), jsonKind(items[0]))
		}
	}
	if items[0].Kind() == '{' {
		return jsonObjectRows(name, items)
	}
	for _, item := range items {
		rows = append(rows, jsonItems(item))
	}
	return nil, rows, nil
}

func jsonObjectRows(name string, items []jsontext.Value) (header []string, rows [][]jsontext.Value, err error) {
	column := map[string]int{}
	objects := make([][]jsonMember, len(items))
	for i, item := range items {
		objects[i] = jsonMembers(item)
		for _, m := range objects[i] {
			if _, known := column[m.name]; !known {
				column[m.name] = len(header)
				header = append(header, m.name)
			}
		}
	}
	switch {
	case header == nil:
		return nil, nil, tool.Fail(tool.ValidationError, "The objects in %s are empty; without members there are no columns.", name)
	case len(items)*len(header) > maxCells:
		return nil, nil, tool.Fail(tool.ValidationError, "A table of %d rows and %d columns is too large; send fewer rows, or rows with the same members.", len(items), len(header))
	}
	for _, members := range objects {
		row := make([]jsontext.Value, len(header))
		for _, m := range members {
			row[column[m.name]] = m.value
		}
		rows = append(rows, row)
	}
	return header, rows, nil
}

// jsonCell is the text of a value in a table; null and a missing one are empty.
func jsonCell(v jsontext.Value) string {
	if len(v) == 0 || v.Kind() == 'n' {
		return ""
	}
	if kind := v.Kind(); kind == '{' || kind == '[' {
		compact := append(jsontext.Value(nil), v...)
		if compact.Compact() == nil {
			return string(compact)
		}
	}
	return jsonText(v)
}

// csvWriter writes rows as RFC 4180 has them, but for line ends, which are \n
// between rows.
type csvWriter struct {
	delimiter string
	text      strings.Builder
	started   bool
}

func (w *csvWriter) row(cells []jsontext.Value) error {
	if w.started {
		w.text.WriteByte('\n')
	}
	w.started = true
	for i, cell := range cells {
		if i > 0 {
			w.text.WriteString(w.delimiter)
		}
		text := jsonCell(cell)
		if cell.Kind() == '"' && csvFormula(text) {
			text = "'" + text
		}
		if w.text.Len()+2*len(text) > maxJSONOutput {
			return tool.Fail(tool.ValidationError, "The CSV would be larger than 4 MiB; send fewer rows.")
		}
		if strings.ContainsAny(text, "\"\r\n") || strings.Contains(text, w.delimiter) || text == "" && len(cells) == 1 {
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"` // also the only cell of a row: an empty line is no row
		}
		w.text.WriteString(text)
	}
	return nil
}

// csvFormula reports whether a spreadsheet would take text for a formula and
// run it. Digits with signs, such as a number or +1 (415) 555-2671, do no harm
// and stay as they are: nothing in them can be a function or name a cell.
func csvFormula(text string) bool {
	switch {
	case text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])):
		return false
	case text[0] != '+' && text[0] != '-':
		return true
	}
	if _, number := parseJSONDecimal(text); number {
		return false
	}
	return strings.Trim(text, "0123456789 +-().") != ""
}
