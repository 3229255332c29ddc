package data

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/csvtab"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/tool"
)

type createTableArgs struct {
	Data    json.RawMessage `json:"data" alias:"rows,json" doc:"The rows: a JSON array of objects or of arrays, or the text of one."`
	Headers []string        `json:"headers,omitempty" doc:"Titles of the columns; for objects the members to show, in this order. By default the members of the objects, or the first of rows that are arrays."`
}

type createTableResult struct {
	Table       string `json:"table" doc:"The table in Markdown."`
	RowCount    int    `json:"rowCount" doc:"Rows under the header."`
	ColumnCount int    `json:"columnCount"`
}

// Present shows only the table.
func (r createTableResult) Present(res *tool.Result) { res.Text = r.Table }

var _ = tool.Add(Set, tool.Spec[createTableArgs, createTableResult]{
	Name: "create_table",
	Description: "Lay rows, given as a JSON array of objects or arrays, out as a Markdown table with aligned columns, to show them to a " +
		"person, and return its text.",
	Tags:       []string{"table", "markdown table", "format", "rows", "columns", "layout"},
	Group:      "listOps",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"data":[{"name":"Ada","born":1815},{"name":"Grace","born":1906}]}`,
	Run:        createTable,
})

func createTable(_ context.Context, _ *tool.Call, args createTableArgs) (createTableResult, error) {
	members, rows, err := csvtab.RowsOf("rows", args.Data)
	if err != nil {
		return createTableResult{}, err
	}
	titles := args.Headers
	if len(titles) == 0 {
		titles = members
	}
	if columns := max(len(titles), len(rows[0])); columns*len(rows) > csvtab.MaxCells {
		return createTableResult{}, tool.Fail(tool.ValidationError, "A table of %d rows and %d columns is too large; send fewer rows.",
			len(rows), columns)
	}
	cells := tableCells(rows)
	if members != nil && len(args.Headers) > 0 {
		cells = tableSelect(cells, members, args.Headers)
	}
	if titles != nil {
		cells = slices.Insert(cells, 0, tableHeader(titles))
	}
	columns := 0
	for _, line := range cells {
		columns = max(columns, len(line))
	}
	if columns == 0 {
		return createTableResult{}, tool.Fail(tool.ValidationError, "The table has no columns; send rows with values.")
	}
	text, err := tableText(cells, columns)
	return createTableResult{Table: text, RowCount: len(cells) - 1, ColumnCount: columns}, err
}

func tableCells(rows [][]jsontext.Value) [][]string {
	cells := make([][]string, 0, len(rows)+1)
	for _, row := range rows {
		line := make([]string, len(row))
		for i, cell := range row {
			line[i] = tableCell(csvtab.Cell(cell))
		}
		cells = append(cells, line)
	}
	return cells
}

func tableHeader(names []string) []string {
	line := make([]string, len(names))
	for i, name := range names {
		line[i] = tableCell(name)
	}
	return line
}

// tableSelect orders the columns of objects by headers; a column that no object has is
// empty.
func tableSelect(cells [][]string, members, headers []string) [][]string {
	column := map[string]int{}
	for i, name := range members {
		column[name] = i
	}
	selected := make([][]string, len(cells))
	for i, line := range cells {
		selected[i] = make([]string, len(headers))
		for j, name := range headers {
			if k, known := column[name]; known {
				selected[i][j] = line[k]
			}
		}
	}
	return selected
}

// tableCell returns text in a form that a Markdown table cell can hold.
func tableCell(text string) string {
	text = tableEscapes.Replace(strings.TrimSpace(text))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' { // a tab or another control character breaks the alignment
			return ' '
		}
		return r
	}, text))
}

var tableEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\r\n", "<br>", "\n", "<br>", "\r", "<br>")

// tableText pads cells to the width of their column, counted in characters. A cell
// wider than the limit is not padded to, so that one long text does not widen every
// row.
func tableText(cells [][]string, columns int) (string, error) {
	const least, widest = 3, 60
	widths := make([]int, columns)
	for i := range widths {
		widths[i] = least
	}
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], min(utf8.RuneCountInString(cell), widest))
		}
	}
	var w jsonvalue.Writer
	for n, line := range cells {
		if err := tableLine(&w, line, widths, " "); err != nil {
			return "", err
		}
		if n == 0 {
			if err := tableLine(&w, nil, widths, "-"); err != nil {
				return "", err
			}
		}
	}
	return strings.TrimSuffix(w.String(), "\n"), nil
}

func tableLine(w *jsonvalue.Writer, line []string, widths []int, pad string) error {
	text := []byte("|")
	for i, width := range widths {
		cell := ""
		if i < len(line) {
			cell = line[i]
		}
		text = append(append(text, ' '), cell...)
		text = append(text, strings.Repeat(pad, max(0, width-utf8.RuneCountInString(cell)))...)
		text = append(text, " |"...)
	}
	_, err := w.Write(append(text, '\n'))
	return err
}
