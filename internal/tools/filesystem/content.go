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
	// sniffed is the number of bytes that are examined to decide whether a file is
	// text.
	sniffed = 4096
	// maxPiece is the number of bytes of a line that are searched in one step.
	maxPiece = 64 << 10
	// maxShown limits a line in a result, in bytes.
	maxShown = 400
)

// needle is a text to search in files and names. It reuses its buffers from file to
// file, so it must not be used concurrently.
type needle struct {
	text  []byte // in lower case unless the search is case-sensitive
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

// index returns the index of the text in line, or in the folded line, or -1.
func (n *needle) index(line []byte) int {
	if n.exact {
		return bytes.Index(line, n.text)
	}
	n.folded = fold(n.folded[:0], line)
	return bytes.Index(n.folded, n.text)
}

// lines calls found for each line of a text file that contains the text, with the
// line's number and the line, shortened around the match if it is long. found returns
// false to stop. Memory does not depend on the length of lines. lines reports whether
// the file is text; it stops reading as soon as the file turns out not to be.
func (n *needle) lines(file io.Reader, found func(number int, line string) bool) (isText bool, err error) {
	n.in.Reset(&sip{r: file})
	in := n.in
	head, _ := in.Peek(sniffed) // the next read returns the error again
	if wide(head) {
		in = bufio.NewReaderSize(decodeSet(in, xunicode.UTF16(xunicode.BigEndian, xunicode.UseBOM)), maxPiece)
	} else if bytes.IndexByte(head, 0) >= 0 {
		return false, nil
	}
	number, done := 0, true // done: the rest of the line does not matter
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

// keepEnd keeps the end of a line in which a match can have begun.
func (n *needle) keepEnd() {
	keep := min(len(n.window), utf8.UTFMax*len(n.text))
	n.window = append(n.window[:0], n.window[len(n.window)-keep:]...)
}

// sip reads little at first, because the rest of a non-text file is not needed.
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

// wide detects UTF-16 by its byte order mark.
func wide(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// fold appends text in lower case, for searches that ignore case.
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
			// By way of upper case, because letters such as the final sigma have the
			// same one.
			to = utf8.AppendRune(to, unicode.ToLower(unicode.ToUpper(r)))
		}
		i += size
	}
	return to
}

// shown returns a line for a result: valid UTF-8, trimmed, and if it is long only the
// part around the match.
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
