package js

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// maxCells limits the result of parseCsv.
const maxCells = 500_000

var csvRow = row{"parseCsv": parseCSV}

// parseCSV returns an object for each line after the first, which names the columns.
// Cells stay texts and are "" if a line is short; a column with an empty or repeated
// name is called column1, column2, … by its position. The separator is a comma, or
// argument 1.
func parseCSV(u use) goja.Value {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(u.text(0, "text"), "\ufeff")))
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	if u.given(1) {
		r.Comma = u.delimiter(1)
	}
	var columns []string
	rows := []any{}
	for cells := 0; ; {
		line, err := r.Read()
		if errors.Is(err, io.EOF) {
			return u.r.vm.NewArray(rows...)
		}
		if err != nil {
			u.refusef("%s", csvProblem(err))
		}
		if columns == nil {
			columns = columnNames(line)
			continue
		}
		for i := len(columns); i < len(line); i++ {
			columns = append(columns, columnName(i))
		}
		if cells += len(columns); cells > maxCells {
			u.refusef("the text has more than %d cells", maxCells)
		}
		rows = append(rows, u.record(columns, line))
	}
}

// delimiter returns argument i, one character.
func (u use) delimiter(i int) rune {
	text := u.text(i, "delimiter")
	c, size := utf8.DecodeRuneInString(text)
	if size == 0 || size != len(text) || strings.ContainsRune("\"\r\n\ufffd", c) {
		u.refusef("delimiter must be one character, and no quote or line end")
	}
	return c
}

// record creates the object of one line. Each cell is an own property, whatever the
// column is called.
func (u use) record(columns, line []string) goja.Value {
	obj := u.r.vm.NewObject()
	for i, name := range columns {
		cell := ""
		if i < len(line) {
			cell = line[i]
		}
		// Setting a property of a new plain object cannot fail.
		_ = obj.DefineDataProperty(name, u.value(cell), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	return obj
}

func columnNames(line []string) []string {
	names := make([]string, len(line))
	known := map[string]bool{"": true, "__proto__": true}
	for i, name := range line {
		name = strings.TrimSpace(name)
		if known[name] {
			name = columnName(i)
		}
		known[name] = true
		names[i] = name
	}
	return names
}

func columnName(i int) string { return fmt.Sprintf("column%d", i+1) }

func csvProblem(err error) string {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Sprintf("line %d: %s; a cell that contains a quote must be quoted, with the quote doubled", e.Line, e.Err)
	}
	return err.Error()
}
