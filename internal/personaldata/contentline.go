package personaldata

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Content lines of iCalendar and vCard (RFC 5545 3.1, RFC 6350 3.2): a line that begins with
// a blank continues the one before.

// contentLine is an unfolded line, and the number of its first line in the file.
type contentLine struct {
	number int
	text   string
}

// contentLines reads the content lines of a file.
type contentLines struct {
	in     *bufio.Scanner
	next   string
	number int // of next
	begun  bool
}

func newContentLines(r io.Reader) *contentLines {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	return &contentLines{in: in}
}

// scan reads the next line of the file into next.
func (c *contentLines) scan() bool {
	if !c.in.Scan() {
		return false
	}
	if c.number++; c.number == 1 {
		c.next = strings.TrimPrefix(c.in.Text(), "\ufeff")
		return true
	}
	c.next = c.in.Text()
	return true
}

// read returns the next content line that is not empty, and io.EOF at the end.
func (c *contentLines) read() (contentLine, error) {
	if !c.begun && !c.scan() {
		return contentLine{}, c.end()
	}
	for c.begun = true; ; {
		line, text := contentLine{number: c.number}, []byte(c.next)
		more := c.scan()
		for ; more && c.next != "" && (c.next[0] == ' ' || c.next[0] == '\t'); more = c.scan() {
			if text = append(text, c.next[1:]...); len(text) > maxLine {
				return line, fmt.Errorf("line %d is longer than %d bytes", line.number, maxLine)
			}
		}
		if !more {
			c.begun = false
		}
		if line.text = string(bytes.TrimRight(text, "\r")); strings.TrimSpace(line.text) != "" {
			return line, nil
		}
		if !more {
			return contentLine{}, c.end()
		}
	}
}

func (c *contentLines) end() error {
	if err := c.in.Err(); err != nil {
		return fmt.Errorf("after line %d: %w", c.number, err)
	}
	return io.EOF
}

// boundary splits a line that begins or ends a component.
func boundary(line string) (begins bool, name string, ok bool) {
	word, name, found := strings.Cut(line, ":")
	word = strings.TrimSpace(word)
	name = strings.ToUpper(strings.TrimSpace(name))
	begins = strings.EqualFold(word, "BEGIN")
	return begins, name, found && (begins || strings.EqualFold(word, "END"))
}

// maxNesting bounds components within components. No program writes more than three.
const maxNesting = 16

// maxBlock bounds the lines of a component.
const maxBlock = 200_000

var errNesting = errors.New("its components nest too deeply")

// rest reads the lines of a component up to its end. The lines of a component that is not
// understood are read as well, so that the next one can be.
func (c *contentLines) rest(name string) (lines []contentLine, err error) {
	open, problem := []string{name}, error(nil)
	for {
		line, err := c.read()
		if errors.Is(err, io.EOF) {
			return lines, fmt.Errorf("it has no END:%s", name)
		}
		if err != nil {
			return lines, err
		}
		begins, part, ok := boundary(line.text)
		switch {
		case ok && begins && len(open) >= maxNesting:
			problem = errNesting
		case ok && begins:
			open = append(open, part)
		case ok && part == name: // the end, even if that of an inner component is missing
			if len(open) > 1 && problem == nil {
				problem = fmt.Errorf("it has no END:%s", open[len(open)-1])
			}
			return lines, problem
		case ok && len(open) > 1 && part == open[len(open)-1]:
			open = open[:len(open)-1]
		}
		if len(lines) < maxBlock {
			lines = append(lines, line)
		}
	}
}

// foldAt is the longest line that is written, in bytes without its end.
const foldAt = 75

// folder writes content lines, and folds those that are longer than foldAt between two
// characters.
type folder struct {
	out  io.Writer
	line []byte
}

// Write implements [io.Writer].
func (f *folder) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		end := bytes.IndexByte(p[n:], '\n')
		if end < 0 {
			f.line = append(f.line, p[n:]...)
			break
		}
		f.line = append(f.line, p[n:n+end]...)
		if err := f.flush(); err != nil {
			return n, err
		}
		n += end + 1
	}
	return len(p), nil
}

func (f *folder) flush() error {
	line := bytes.TrimSuffix(f.line, []byte("\r"))
	var folded []byte
	for most := foldAt; len(line) > most; most = foldAt - 1 { // the blank counts
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(line[cut]) {
			cut--
		}
		folded = append(append(folded, line[:cut]...), "\r\n "...)
		line = line[cut:]
	}
	folded = append(append(folded, line...), "\r\n"...)
	f.line = f.line[:0]
	_, err := f.out.Write(folded)
	return err
}
