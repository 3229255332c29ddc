package filesystem

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	xunicode "golang.org/x/text/encoding/unicode"
)

const (
	// sniffed is how much of a file tells whether it is text.
	sniffed = 4096
	// maxPiece is how much of a line is searched at once.
	maxPiece = 64 << 10
	// maxShown bounds the line that a result shows, in bytes.
	maxShown = 400
)

// needle is a text that is looked for in files and names. It keeps its buffers
// from one file to the next and so is for one goroutine.
type needle struct {
	text  []byte // folded unless the case counts
	exact bool

	in     *bufio.Reader
	folded []byte
	window []byte
}

func needleOf(text string, exact bool) *needle {
	n := &needle{text: []byte(text), exact: exact, in: bufio.NewReaderSize(nil, maxPiece)}
	if !exact {
		n.text = fold(nil, n.text)
	}
	return n
}

// index is where the text begins in line, or in the folded line, or -1.
func (n *needle) index(line []byte) int {
	if n.exact {
		return bytes.Index(line, n.text)
	}
	n.folded = fold(n.folded[:0], line)
	return bytes.Index(n.folded, n.text)
}

// lines calls found for each line of a text file that holds the text, with the
// line's number and the line, cut around the text if it is long; found returns
// false to have no more. Lines of any length take the same memory. It reports
// whether the file is text: a file that is not is left where that shows.
func (n *needle) lines(file io.Reader, found func(number int, line string) bool) (isText bool, err error) {
	n.in.Reset(&sip{r: file})
	in := n.in
	head, _ := in.Peek(sniffed) // an error comes again when it is read
	if wide(head) {
		in = bufio.NewReaderSize(decodeSet(in, xunicode.UTF16(xunicode.BigEndian, xunicode.UseBOM)), maxPiece)
	} else if bytes.IndexByte(head, 0) >= 0 {
		return false, nil
	}
	number, done := 0, true // done: the rest of the line is of no interest
	n.window = n.window[:0]
	for fresh := true; ; {
		piece, err := in.ReadSlice('\n')
		if fresh && len(piece) > 0 {
			number, done = number+1, false
			n.window = n.window[:0]
		}
		if bytes.IndexByte(piece, 0) >= 0 {
			return false, nil
		}
		fresh = bytes.HasSuffix(piece, []byte("\n"))
		if !done && len(piece) > 0 {
			n.window = append(n.window, piece...)
			if at := n.index(n.window); at >= 0 {
				if !found(number, shown(n.window, at, len(n.text))) {
					return true, nil
				}
				done = true
			}
			n.keepEnd()
		}
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case errors.Is(err, errNotText):
			return false, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return true, err
		}
	}
}

// keepEnd keeps as much of a line as a match can have begun in.
func (n *needle) keepEnd() {
	keep := min(len(n.window), utf8.UTFMax*len(n.text))
	n.window = append(n.window[:0], n.window[len(n.window)-keep:]...)
}

// sip reads little at first, since of a file that is not text the rest is of no
// use.
type sip struct {
	r     io.Reader
	begun bool
}

func (s *sip) Read(p []byte) (int, error) {
	if !s.begun {
		s.begun = true
		p = p[:min(len(p), sniffed)]
	}
	return s.r.Read(p)
}

// wide tells UTF-16 by its byte order mark.
func wide(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// fold appends text in lower case, so that case does not count.
func fold(to, text []byte) []byte {
	to = slices.Grow(to, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			to = append(to, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			to = append(to, c)
		} else {
			// By way of the upper case, because letters such as the final sigma
			// share one.
			to = utf8.AppendRune(to, unicode.ToLower(unicode.ToUpper(r)))
		}
		i += size
	}
	return to
}

// shown is a line as a result shows it: valid, without the spaces around it, and
// of a long one the part around what was found.
func shown(line []byte, at, length int) string {
	begin, end := 0, len(line)
	if end > maxShown {
		at = min(at, end)
		begin = max(0, min(at-maxShown/4, end-maxShown))
		end = min(end, max(begin+maxShown, at+min(length, maxShown)))
	}
	text := strings.TrimSpace(strings.TrimPrefix(strings.ToValidUTF8(string(line[begin:end]), "\ufffd"), "\ufeff"))
	if begin > 0 {
		text = "…" + strings.TrimLeft(text, "\ufffd")
	}
	if end < len(line) {
		text = strings.TrimRight(text, "\ufffd") + "…"
	}
	return text
}
