package csvtab

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
	"golang.org/x/text/encoding/unicode"
)

// MaxRecord limits the length of a row, in bytes, and so the search for a missing
// closing quote.
const MaxRecord = 1 << 20

// MaxColumns is more columns than any spreadsheet has.
const MaxColumns = 20_000

// reader reads rows of delimited text one by one, in memory of one row. It accepts what
// spreadsheets and people write: a byte order mark (also of UTF-16), line ends of any
// system, quotes inside a bare value, spaces around a quoted value, rows of any length.
// It skips empty lines, and blank lines if blanks are trimmed.
type reader struct {
	in        *bufio.Reader
	delimiter []byte
	trim      bool
	spaces    string // allowed between a delimiter and a quote
	lineEnd   byte
	line      int // number of the last line read, from 1
	ended     int // length of the end of that line: CR, LF or both, and 0 at the end of the text

	long   []byte // a line that did not fit the buffer of in
	record []byte // the current row with its quotes resolved
	ends   []int  // the ends of its values in record
	row    [][]byte
}

// newReader returns a reader for a non-empty delimiter. It reads the beginning of the
// text.
func newReader(ctx context.Context, r io.Reader, delimiter string, trim bool) *reader {
	in := bufio.NewReaderSize(&input{ctx, r}, 64<<10)
	mark, _ := in.Peek(3) // the next read returns the error again
	switch {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, _ = in.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		utf16 := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
		in = bufio.NewReaderSize(utf16.NewDecoder().Reader(in), 64<<10)
	}
	c := &reader{in: in, delimiter: []byte(delimiter), trim: trim, lineEnd: '\n'}
	if trim {
		c.spaces = strings.ReplaceAll(" \t", delimiter, "")
	}
	if start, _ := in.Peek(in.Size()); bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(start, '\r') >= 0 {
		c.lineEnd = '\r' // as old Macs wrote it
	}
	return c
}

// input ends a long read when the call ends.
type input struct {
	ctx context.Context
	r   io.Reader
}

func (i *input) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// next returns the values of the next row, or io.EOF. They are valid until it is
// called again.
func (c *reader) next() ([][]byte, error) {
	for {
		line, err := c.readLine()
		if err != nil {
			return nil, err
		}
		if len(c.trimmed(line)) == 0 && !bytes.Contains(line, c.delimiter) {
			continue
		}
		c.row = c.row[:0]
		text := line
		if bytes.IndexByte(line, '"') < 0 {
			c.plain(line)
		} else {
			if err := c.quoted(line); err != nil {
				return nil, err
			}
			text = c.record
		}
		if len(c.row) > MaxColumns {
			return nil, tool.Fail(tool.ValidationError, "Line %d has %d values, more than %d; perhaps the delimiter is another one.",
				c.line, len(c.row), MaxColumns)
		}
		if !utf8.Valid(text) {
			return nil, tool.Fail(tool.ValidationError, "Line %d is not UTF-8 text; save the file as UTF-8 and try again.", c.line)
		}
		return c.row, nil
	}
}

// readLine returns a line without its end. It is valid until the next call.
func (c *reader) readLine() ([]byte, error) {
	line, err := c.readRaw()
	if err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(line, []byte{c.lineEnd})
	text = bytes.TrimSuffix(text, []byte("\r"))
	c.ended = len(line) - len(text)
	return text, nil
}

// readRaw returns a line together with its end, if it has one.
func (c *reader) readRaw() ([]byte, error) {
	c.line++
	line, err := c.in.ReadSlice(c.lineEnd)
	if errors.Is(err, bufio.ErrBufferFull) {
		c.long = c.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if c.long = append(c.long, line...); len(c.long) > MaxRecord {
				return nil, c.tooLong()
			}
			line, err = c.in.ReadSlice(c.lineEnd)
		}
		if line = append(c.long, line...); len(line) > MaxRecord {
			return nil, c.tooLong()
		}
		c.long = line
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err
	}
	return line, nil
}

func (c *reader) tooLong() error {
	return tool.Fail(tool.ValidationError,
		"The row that ends in line %d is longer than 1 MiB; perhaps a quote is not closed, or the file is not CSV.", c.line)
}

// plain splits a line without quotes.
func (c *reader) plain(line []byte) {
	for {
		value, rest, more := bytes.Cut(line, c.delimiter)
		c.row = append(c.row, c.trimmed(value))
		if !more {
			return
		}
		line = rest
	}
}

func (c *reader) trimmed(value []byte) []byte {
	if c.trim {
		return bytes.TrimSpace(value)
	}
	return value
}

// quoted splits a row that begins with line, and reads on where a quoted value
// goes over its end.
func (c *reader) quoted(line []byte) error {
	c.record, c.ends = c.record[:0], c.ends[:0]
	for {
		if rest := bytes.TrimLeft(line, c.spaces); len(rest) > 0 && rest[0] == '"' {
			var err error
			if line, err = c.inQuotes(rest[1:]); err != nil {
				return err
			}
		}
		// Text after a closing quote belongs to the value.
		value, rest, more := bytes.Cut(line, c.delimiter)
		c.record = append(c.record, value...)
		c.ends = append(c.ends, len(c.record))
		if !more {
			break
		}
		line = rest
	}
	from := 0
	for _, end := range c.ends {
		c.row = append(c.row, c.trimmed(c.record[from:end]))
		from = end
	}
	return nil
}

// inQuotes appends a value up to its closing quote to the record and returns the rest
// of the line after the quote.
func (c *reader) inQuotes(line []byte) (rest []byte, err error) {
	opened := c.line
	for {
		before, after, closed := bytes.Cut(line, []byte{'"'})
		c.record = append(c.record, before...)
		if len(c.record) > MaxRecord {
			return nil, c.tooLong()
		}
		switch {
		case closed && len(after) > 0 && after[0] == '"': // a doubled quote is a quote
			c.record = append(c.record, '"')
			line = after[1:]
			continue
		case closed:
			return after, nil
		}
		// A value keeps its line ends as they are (RFC 4180). They follow the line in its buffer.
		c.record = append(c.record, line[len(line):len(line)+c.ended]...)
		line, err = c.readLine()
		if errors.Is(err, io.EOF) {
			return nil, tool.Fail(tool.ValidationError,
				"The quote that opens in line %d is never closed; close it, or double a quote that belongs to a value.", opened)
		}
		if err != nil {
			return nil, err
		}
	}
}
