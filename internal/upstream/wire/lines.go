package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

const (
	// ends is how much of a line that is too long is kept, at its beginning and at its end.
	ends = 256
	// maxLine is how long a line may be before its sender is given up, in bytes.
	maxLine = 512 << 20
)

// ErrEndless says that a line did not end.
var ErrEndless = errors.New("it sends a line without end")

// line is what stands between two line breaks.
type line struct {
	text []byte // all of it, or where it is too long nothing
	head []byte // else its two ends
	tail []byte
	size int64
}

func (l *line) tooLong() bool { return l.text == nil && l.size > 0 }

// lines reads lines, of which none takes more than so much memory.
type lines struct {
	in  *bufio.Reader
	max int
}

func newLines(r io.Reader, longest int) *lines {
	return &lines{bufio.NewReaderSize(r, 32<<10), longest}
}

// next returns the next line without its end, also the last one that has none.
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
		case err == nil, l.tooLong(), errors.Is(err, io.EOF) && l.size > 0: // what is wrong comes again
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
