package eventstream

import (
	"bytes"
	"slices"
)

// line is the text between two ends of lines.
type line struct {
	text []byte // all of it; nil if it is too long
	head []byte // its two ends if it is too long
	tail []byte
	size int64
}

var mark = []byte("\ufeff")

// line returns the next line. A last line without end is one too.
func (r *Reader) line() (*line, error) {
	l := &line{}
	for {
		if _, err := r.in.Peek(1); err != nil {
			if l.size > 0 && !r.afterCR { // the reader returns its error again
				r.begin(l)
				return l, nil
			}
			return nil, err
		}
		part, _ := r.in.Peek(r.in.Buffered())
		if r.afterCR && part[0] == '\n' {
			r.afterCR = false
			_, _ = r.in.Discard(1)
			continue
		}
		r.afterCR = false
		end := bytes.IndexByte(part, '\n')
		if end < 0 {
			end = bytes.IndexByte(part, '\r')
		} else if cr := bytes.IndexByte(part[:end], '\r'); cr >= 0 {
			end = cr
		}
		if end >= 0 {
			r.afterCR = part[end] == '\r'
			l.add(part[:end], r.longest)
			_, _ = r.in.Discard(end + 1)
			r.begin(l)
			return l, nil
		}
		l.add(part, r.longest)
		_, _ = r.in.Discard(len(part))
		if r.whole && l.head != nil {
			return nil, ErrTooLong
		}
		if l.size > maxLine {
			return nil, ErrEndless
		}
	}
}

// begin skips the byte order mark of the first line.
func (r *Reader) begin(l *line) {
	if r.began {
		return
	}
	r.began = true
	for _, text := range []*[]byte{&l.text, &l.head} {
		if rest, marked := bytes.CutPrefix(*text, mark); marked {
			*text = rest
			l.size -= int64(len(mark))
			return
		}
	}
}

// add adds a piece of the line. A line is too long if its data alone is.
func (l *line) add(part []byte, longest int) {
	l.size += int64(len(part))
	if l.head == nil && l.size <= int64(longest+len("data: ")+len(mark)) {
		l.text = append(l.text, part...)
		return
	}
	if l.head == nil {
		whole := slices.Concat(l.text[:min(len(l.text), 2*Ends)], part[:min(len(part), 2*Ends)])
		l.head = bytes.Clone(whole[:min(len(whole), 2*Ends)])
		l.tail, l.text = bytes.Clone(l.text[max(0, len(l.text)-Ends):]), nil
	}
	l.tail = append(l.tail, part[max(0, len(part)-Ends):]...)
	l.tail = l.tail[max(0, len(l.tail)-Ends):]
}
