package csvtab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/tool"
)

// MaxFile is the size of the largest file that is read; usualRows is the default number
// of rows returned from a file.
const (
	MaxFile   = 256 << 20
	usualRows = 1000
)

// Source describes where CSV comes from and how to read it.
type Source struct {
	Delimiter  string `json:"delimiter,omitempty" doc:"Character between values; a comma by default, \\t for tab."`
	HasHeader  bool   `json:"hasHeader" default:"true" doc:"The first row names the columns."`
	TrimValues bool   `json:"trimValues" default:"true" doc:"Cut white space off both ends of each value."`
	Path       string `json:"path,omitempty" doc:"File of the workspace to read in place of csv."`
	Offset     int    `json:"offset,omitzero" min:"0" doc:"Rows to leave out at the beginning."`
	// Limit has no type, because the schema would refuse values that mean the default.
	Limit json.RawMessage `json:"limit,omitempty" doc:"Most rows to return, a number of 1 or more; by default 1000 of a file and all of csv."`
}

// most returns the number of rows to return, 0 for the default: a limit that is not a
// number means the default, a limit below 1 means 1.
func (s *Source) most() int {
	n, err := strconv.ParseFloat(string(s.Limit), 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0
	}
	return max(1, calc.ToInt(n))
}

// Table is a table as JSON. Count and Truncated are set only if rows were omitted.
type Table struct {
	Headers     []string          `json:"headers,omitempty" doc:"Names of the columns, if there is a header; one that is empty or there twice gets a number."`
	Data        []json.RawMessage `json:"data" doc:"Rows: objects by header, or arrays if there is none."`
	RowCount    int               `json:"rowCount" doc:"Rows of the whole table, the header not counted."`
	ColumnCount int               `json:"columnCount"`
	RaggedRows  int               `json:"raggedRows,omitzero" doc:"Rows with more or fewer values than there are columns: missing ones are empty, further ones are left out."`
	Count       *int              `json:"count,omitempty" doc:"Rows in data, if that is not all."`
	Truncated   bool              `json:"truncated,omitempty" doc:"There are more rows after those in data; get them with offset and limit."`
}

// Present adds a note about omitted rows.
func (t *Table) Present(res *tool.Result) {
	if res.Truncated = t.Truncated; t.Truncated {
		res.Metadata = map[string]any{"total": t.RowCount, "count": *t.Count}
	}
}

// Table reads text, or the file if there is a path.
func (s *Source) Table(ctx context.Context, call *tool.Call, text string, convert bool) (*Table, error) {
	delimiter, err := delimiterOf(s.Delimiter)
	if err != nil {
		return nil, err
	}
	limit := s.most()
	var in io.Reader = strings.NewReader(text)
	switch {
	case s.Path != "" && text != "":
		return nil, tool.Fail(tool.ValidationError, "Both csv and path are given; send one of them.")
	case s.Path != "":
		file, err := openFile(call, s.Path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
		if limit == 0 {
			limit = usualRows
		}
	}
	if s.Delimiter == "" {
		buffered := bufio.NewReaderSize(in, guessFrom)
		in = buffered
		head, _ := buffered.Peek(guessFrom) // the next read returns the error again
		if other := guessed(head); other != "" {
			delimiter = other
			call.Note("the first line has no comma, so values are separated at %q; delimiter sets another one.", other)
		}
	}
	b := builder{source: s, limit: limit, convert: convert}
	err = b.read(newReader(ctx, in, delimiter, s.TrimValues))
	if err != nil {
		return nil, err
	}
	t, err := b.finish()
	if err == nil && t.Truncated {
		shown := s.Offset + *t.Count
		call.Note("showing rows %d to %d of %d; use offset=%d for the next ones.", s.Offset+1, shown, t.RowCount, shown)
	}
	return t, err
}

func openFile(call *tool.Call, path string) (io.ReadCloser, error) {
	file, err := call.Files.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > MaxFile {
		err = tool.Fail(tool.FileTooLarge, "File is too large (%d bytes). CSV is read up to %d bytes (256MB); split it.", info.Size(), MaxFile)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// guessFrom is the length of the beginning of a text that shows its delimiter.
const guessFrom = 16 << 10

// guessed returns the delimiter of a text whose first line has no comma outside quotes, but
// another usual one; empty if it has none.
func guessed(head []byte) string {
	var count [256]int
	quoted := false
	for _, c := range head {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted && (c == '\n' || c == '\r') {
			break
		}
		if !quoted {
			count[c]++
		}
	}
	best := byte(0)
	for _, c := range []byte(";\t|") {
		if count[c] > count[best] {
			best = c
		}
	}
	if count[','] > 0 || count[0] > 0 || best == 0 { // a zero byte is of another encoding
		return ""
	}
	return string(best)
}

// delimiterOf returns the delimiter that a parameter names.
func delimiterOf(name string) (string, error) {
	switch name {
	case "":
		return ",", nil
	case `\t`, "tab":
		return "\t", nil
	}
	if utf8.RuneCountInString(name) != 1 || strings.ContainsAny(name, "\"\r\n\x00\ufeff") {
		return "", tool.Fail(tool.ValidationError, "delimiter must be one character and neither a quote nor a line end, such as , or ; or \\t.")
	}
	return name, nil
}

// builder builds a table of rows.
type builder struct {
	source  *Source
	limit   int // 0 is none
	convert bool
	table   Table
	names   [][]byte // headers as JSON strings, each with its colon
	size    int
	full    bool
}

// read reads all rows, and keeps the requested ones.
func (b *builder) read(rows *reader) error {
	first := true
	for {
		row, err := rows.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if first {
			first = false
			b.table.ColumnCount = len(row)
			if b.source.HasHeader {
				b.header(row)
				continue
			}
		}
		b.table.RowCount++
		if len(row) != b.table.ColumnCount {
			b.table.RaggedRows++
		}
		b.keep(row)
	}
}

// header gives every column a unique name, so that no value is lost.
func (b *builder) header(row [][]byte) {
	taken := map[string]bool{}
	for _, name := range row {
		taken[string(name)] = true
	}
	used := map[string]bool{}
	for i, value := range row {
		name := string(value)
		switch {
		case name == "":
			name = freeName(taken, "column_", i+1)
		case used[name]:
			name = freeName(taken, name+"_", 2)
		}
		used[name] = true
		b.table.Headers = append(b.table.Headers, name)
		b.names = append(b.names, append(jsonwalk.AppendString(nil, name), ':'))
	}
}

func freeName(taken map[string]bool, stem string, n int) string {
	for ; ; n++ {
		if name := fmt.Sprint(stem, n); !taken[name] {
			taken[name] = true
			return name
		}
	}
}

// keep adds a row to the data if it was requested and there is room. Names and empty
// values take room in every row, however short its line was.
func (b *builder) keep(row [][]byte) {
	t := &b.table
	if t.RowCount <= b.source.Offset || b.full || b.limit > 0 && len(t.Data) >= b.limit {
		return
	}
	size := 2
	for _, name := range b.names {
		size += len(name) + len(`"",`)
	}
	for _, value := range row {
		size += len(value) + len(`"",`)
	}
	if b.size += size; b.size > jsonvalue.MaxOutput {
		b.full = true
		return
	}
	t.Data = append(t.Data, b.json(make([]byte, 0, size), row))
}

func (b *builder) json(dst []byte, row [][]byte) json.RawMessage {
	if b.names == nil {
		dst = append(dst, '[')
		for i, value := range row {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = b.value(dst, value)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, name := range b.names {
		if i > 0 {
			dst = append(dst, ',')
		}
		var value []byte
		if i < len(row) {
			value = row[i]
		}
		dst = b.value(append(dst, name...), value)
	}
	return append(dst, '}')
}

// value appends a string or, if values are converted, the JSON value that the string
// represents.
func (b *builder) value(dst, value []byte) []byte {
	if b.convert {
		text := string(value)
		if text == "" {
			return append(dst, "null"...)
		}
		if v := jsontext.Value(text); text == "true" || text == "false" || isNumber(v) {
			return append(dst, v...)
		}
	}
	return jsonwalk.AppendString(dst, string(value))
}

// isNumber reports whether text is a JSON number. 007 is not: it would lose its zeros.
func isNumber(v jsontext.Value) bool {
	const longest = 64
	if len(v) > longest || v[0] != '-' && (v[0] < '0' || v[0] > '9') || !v.IsValid() {
		return false
	}
	_, err := strconv.ParseFloat(string(v), 64)
	return err == nil // JSON allows larger ones, but few readers do
}

func (b *builder) finish() (*Table, error) {
	t := &b.table
	if t.ColumnCount == 0 {
		return nil, tool.Fail(tool.ValidationError,
			"The CSV is empty: it has no rows. Send its text as csv, or name a file of the workspace with path.")
	}
	if t.Data == nil {
		t.Data = []json.RawMessage{}
	}
	if n := len(t.Data); n < t.RowCount || b.source.Offset > 0 {
		t.Count, t.Truncated = &n, b.source.Offset < t.RowCount-n
	}
	return t, nil
}
