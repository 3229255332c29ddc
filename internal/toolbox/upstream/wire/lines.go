package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

const (
	// ends is the number of bytes kept at each end of a line that is too long.
	ends = 256
	// maxLine is the length in bytes at which a line ends its connection.
	maxLine = 512 << 20
)

// ErrEndless is the error for a line without end.
var ErrEndless = errors.New("it sends a line without end")

// line is the text between two line breaks.
type line struct {
	text []byte // all of it; empty if it is too long
	head []byte // its two ends if it is too long
	tail []byte
	size int64
}

func (l *line) tooLong() bool { return l.text == nil && l.size > 0 }

// lines reads lines with bounded memory for each.
type lines struct {
	in  *bufio.Reader
	max int
}

func newLines(r io.Reader, longest int) *lines {
	return &lines{bufio.NewReaderSize(r, 32<<10), longest}
}

// next returns the next line without its line break, including an unterminated last line.
func (s *lines) next() (*line, error) {
	l := &line{}
	for {
		part, err := s.in.ReadSlice('\n')
		if err == nil {
			part = part[:len(part)-1]
		}
		l.add(part, s.max)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if l.size > maxLine {
				return nil, ErrEndless
			}
		case err == nil, l.tooLong(), errors.Is(err, io.EOF) && l.size > 0: // the reader returns its error again
			if !l.tooLong() {
				l.text = bytes.TrimSuffix(l.text, []byte("\r"))
			}
			return l, nil
		default:
			return nil, err
		}
	}
}

func (l *line) add(part []byte, longest int) {
	l.size += int64(len(part))
	switch {
	case l.size <= int64(longest):
		l.text = append(l.text, part...)
		return
	case l.head == nil:
		whole := slices.Concat(l.text[:min(len(l.text), ends)], part[:min(len(part), ends)])
		l.head = whole[:min(len(whole), ends)]
		l.tail, l.text = bytes.Clone(l.text[max(0, len(l.text)-ends):]), nil
	}
	l.tail = append(l.tail, part[max(0, len(part)-ends):]...)
	l.tail = l.tail[max(0, len(l.tail)-ends):]
}
