package office

import (
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Bounds of a workbook.
const (
	maxSheets  = 1000
	maxCells   = 500_000
	maxColumns = 16_384 // of Excel
	maxStrings = 1_000_000
)

// Sheet is a sheet of a workbook.
type Sheet struct {
	Name   string
	Hidden bool
	part   string
}

// Book is a workbook.
type Book struct {
	Sheets []Sheet

	pkg     *Package
	from04  bool // days are counted from 1904
	strings []string
	dates   []dateStyle // by number of the style
	ready   bool
}

// Book opens a workbook.
func (p *Package) Book() (*Book, error) {
	b := &Book{pkg: p}
	const part = "xl/workbook.xml"
	targets, err := p.relations(part)
	if err != nil {
		return nil, wholly(err)
	}
	err = p.root(part, func(r *reader, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			b.from04 = isTrue(attr(e, "date1904"))
		case "sheets":
			return r.Each(func(s xml.StartElement) error {
				if len(b.Sheets) < maxSheets {
					b.Sheets = append(b.Sheets, Sheet{
						Name:   attr(s, "name"),
						Hidden: attr(s, "state") != "" && attr(s, "state") != "visible",
						part:   targets[relation(s)],
					})
				}
				return r.Skip()
			}, nil)
		}
		return r.Skip()
	})
	if err == nil && len(b.Sheets) == 0 {
		err = damaged(errors.New("no sheets"))
	}
	return b, wholly(err)
}

// wholly returns an error of a document of which no part can be read without the rest.
func wholly(err error) error {
	if errors.Is(err, errCut) {
		return tool.Fail(tool.FileTooLarge, "The document unpacks to more than is read (%d bytes), or is nested too deep.",
			maxUnpacked).Because(err)
	}
	return err
}

func isTrue(text string) bool { return text == "1" || text == "true" }

// relation returns the id of a relation, which has a name space.
func relation(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// Table is a sheet as a table.
type Table struct {
	// Text is a Markdown table with the letters of columns and the numbers of rows; columns
	// and rows without a value are left out.
	Text string
	// Rows and Columns are the numbers of rows and columns that have a value.
	Rows, Columns int
	// Uncomputed is the number of formulas without a stored value; they are shown as formulas.
	Uncomputed int
	// Cut is set if something was left out for its size.
	Cut bool
}

// cell is a cell that has a value.
type cell struct {
	column int
	text   string
}

// row is a row that has cells.
type row struct {
	number int
	cells  []cell
}

// Table reads a sheet.
func (b *Book) Table(sheet int) (*Table, error) {
	if !b.ready {
		if err := b.prepare(); err != nil {
			return nil, wholly(err)
		}
		b.ready = true
	}
	if !b.pkg.has(b.Sheets[sheet].part) {
		return nil, damaged(errors.New("the sheet has no part"))
	}
	s := &sheetReader{book: b, table: &Table{}}
	err := b.pkg.root(b.Sheets[sheet].part, func(r *reader, e xml.StartElement) error {
		if e.Name.Local != "sheetData" {
			return r.Skip()
		}
		return r.Each(func(e xml.StartElement) error { return s.row(r, e) }, nil)
	})
	if errors.Is(err, errCut) {
		s.table.Cut, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	s.render()
	return s.table, nil
}

// prepare reads what the cells of all sheets refer to.
func (b *Book) prepare() error {
	err := b.pkg.root("xl/sharedStrings.xml", func(r *reader, _ xml.StartElement) error {
		text, err := richText(r)
		if len(b.strings) == maxStrings {
			return fmt.Errorf("%w: it has more than %d strings", errCut, maxStrings)
		}
		b.strings = append(b.strings, text)
		return err
	})
	if err != nil {
		return err
	}
	custom := map[string]string{}
	return b.pkg.root("xl/styles.xml", func(r *reader, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmts":
			return r.Each(func(f xml.StartElement) error {
				custom[attr(f, "numFmtId")] = attr(f, "formatCode")
				return r.Skip()
			}, nil)
		case "cellXfs":
			return r.Each(func(f xml.StartElement) error {
				b.dates = append(b.dates, dateStyleOf(attr(f, "numFmtId"), custom))
				return r.Skip()
			}, nil)
		}
		return r.Skip()
	})
}

// richText reads the texts of an element of shared or inline strings; what helps to
// pronounce them is left out.
func richText(r *reader) (string, error) {
	var w strings.Builder
	var start func(e xml.StartElement) error
	start = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "rPh", "rPr", "phoneticPr":
			return r.Skip()
		case "t":
			return r.Each(func(xml.StartElement) error { return r.Skip() }, func(text xml.CharData) { w.Write(text) })
		}
		return r.Each(start, nil)
	}
	err := r.Each(start, nil)
	return w.String(), err
}

// sheetReader reads the rows of a sheet.
type sheetReader struct {
	book  *Book
	table *Table
	rows  []row
	last  int // number of the row before
	cells int
	size  int
}

func (s *sheetReader) row(r *reader, e xml.StartElement) error {
	number, err := strconv.Atoi(attr(e, "r"))
	if err != nil || number < 1 {
		number = s.last + 1
	}
	s.last = number
	now := row{number: number}
	column := 0
	err = r.Each(func(c xml.StartElement) error {
		column++
		if at := columnOf(attr(c, "r")); at > 0 {
			column = at
		}
		text, err := s.cell(r, c)
		if text = strings.TrimSpace(text); text != "" && column <= maxColumns {
			if s.cells++; s.cells > maxCells || s.size+len(text) > maxText {
				return errCut
			}
			s.size += len(text)
			now.cells = append(now.cells, cell{column, text})
		}
		return err
	}, nil)
	if len(now.cells) > 0 {
		s.rows = append(s.rows, now)
	}
	return err
}

// columnOf returns the number of the column of a reference such as AB12, 0 if it is none.
func columnOf(reference string) int {
	n := 0
	for _, c := range reference {
		if c < 'A' || c > 'Z' {
			break
		}
		if n = n*26 + int(c-'A') + 1; n > maxColumns {
			return maxColumns + 1
		}
	}
	return n
}

// lettersOf is the inverse of columnOf.
func lettersOf(column int) string {
	letters := ""
	for ; column > 0; column = (column - 1) / 26 {
		letters = string(rune('A'+(column-1)%26)) + letters
	}
	return letters
}

// cell reads the value of a cell.
func (s *sheetReader) cell(r *reader, c xml.StartElement) (string, error) {
	var value, formula, inline string
	err := r.Each(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "v":
			value, err = plainText(r)
		case "f":
			formula, err = plainText(r)
		case "is":
			inline, err = richText(r)
		default:
			err = r.Skip()
		}
		return err
	}, nil)
	switch kind := attr(c, "t"); {
	case err != nil:
		return "", err
	case kind == "inlineStr":
		return inline, nil
	case value == "" && formula != "":
		if kind == "str" {
			return "", nil // the stored value is an empty text
		}
		s.table.Uncomputed++
		return "=" + formula, nil
	case kind == "s":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n >= len(s.book.strings) {
			return "", nil //nolint:nilerr // a cell that refers to nothing has no value
		}
		return s.book.strings[n], nil
	case kind == "b":
		return strings.ToUpper(strconv.FormatBool(isTrue(value))), nil
	case kind == "" || kind == "n":
		return s.number(value, attr(c, "s")), nil
	default: // str, e and d are texts
		return value, nil
	}
}

func plainText(r *reader) (string, error) {
	var w strings.Builder
	err := r.Each(func(xml.StartElement) error { return r.Skip() }, func(text xml.CharData) { w.Write(text) })
	return w.String(), err
}

// number returns a number as text: a date where the style of the cell shows one, and without
// the digits that only binary numbers have.
func (s *sheetReader) number(value, style string) string {
	const meaningful = 15 // decimal digits, as Excel shows
	f, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	if n, err := strconv.Atoi(style); err == nil && n >= 0 && n < len(s.book.dates) {
		if text := s.book.dates[n].text(f, s.book.from04); text != "" {
			return text
		}
	}
	if len(strings.TrimLeft(value, "-0.")) <= meaningful+1 && !strings.ContainsAny(value, "eE") {
		return value
	}
	f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', meaningful, 64), 64)
	return strconv.FormatFloat(f, 'g', -1, 64)
}

var cellText = strings.NewReplacer("|", `\|`, "\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// render writes the rows as a table.
func (s *sheetReader) render() {
	used := map[int]bool{}
	for _, r := range s.rows {
		for _, c := range r.cells {
			used[c.column] = true
		}
	}
	columns := make([]int, 0, len(used))
	for column := range used {
		columns = append(columns, column)
	}
	slices.Sort(columns)
	s.table.Rows, s.table.Columns = len(s.rows), len(columns)
	if len(columns) == 0 {
		return
	}
	place := map[int]int{}
	var w strings.Builder
	w.WriteString("| row |")
	for i, column := range columns {
		place[column] = i
		w.WriteString(" " + lettersOf(column) + " |")
	}
	w.WriteString("\n|" + strings.Repeat(" --- |", len(columns)+1))
	values := make([]string, len(columns))
	for _, r := range s.rows {
		last := 0
		for _, c := range r.cells {
			values[place[c.column]] = cellText.Replace(c.text)
			last = max(last, place[c.column])
		}
		line := "\n| " + strconv.Itoa(r.number) + " | " + strings.Join(values[:last+1], " | ") + " |"
		for _, c := range r.cells {
			values[place[c.column]] = ""
		}
		if w.Len()+len(line) > maxText {
			s.table.Cut = true
			break
		}
		w.WriteString(line)
	}
	s.table.Text = w.String()
}
