package filesystem

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// errNotText means that a file is not text in the expected character set.
var errNotText = errors.New("not text")

// decoder turns bytes into UTF-8 without a byte order mark. Reading fails with
// errNotText if the bytes are not text in the character set.
type decoder func(io.Reader) io.Reader

// decoderOf returns the decoder for the name of an encoding, or nil for base64 and
// binary, which decode nothing.
func decoderOf(name string) (decoder, error) {
	switch strings.ToLower(name) {
	case "base64", "binary":
		return nil, nil
	case "utf-8", "utf8":
		return decodeUTF8, nil
	case "ascii", "us-ascii":
		return func(r io.Reader) io.Reader { return transform.NewReader(r, &strict{highest: 0x7f}) }, nil
	}
	set := charset(name)
	if set == nil {
		return nil, unknownEncoding(name)
	}
	return func(r io.Reader) io.Reader { return decodeSet(r, set) }, nil
}

func unknownEncoding(name string) error {
	return tool.Fail(tool.ValidationError,
		"Unsupported encoding: '%s'. Use utf-8, ascii, base64, binary, or a character set such as ISO-8859-1, windows-1251, UTF-16 or Shift_JIS.",
		name)
}

// charset returns the character set with a registered name, taken literally (ISO-8859-1
// is not windows-1252), otherwise with one of the names of the web. It returns nil if
// there is none.
func charset(name string) encoding.Encoding {
	if set, err := ianaindex.IANA.Encoding(name); err == nil && set != nil {
		return set
	}
	if set, err := htmlindex.Get(name); err == nil && set != encoding.Replacement {
		return set
	}
	return nil
}

// decodeUTF8 also accepts UTF-16 with a byte order mark: some programs write it for
// "Unicode text".
func decodeUTF8(r io.Reader) io.Reader {
	in := bufio.NewReader(r)
	switch mark, _ := in.Peek(2); string(mark) { // the next read returns the error again
	case "\xff\xfe", "\xfe\xff":
		return decodeSet(in, unicode.UTF16(unicode.BigEndian, unicode.UseBOM))
	}
	return transform.NewReader(in, &strict{highest: utf8.MaxRune})
}

func decodeSet(r io.Reader, set encoding.Encoding) io.Reader {
	return transform.NewReader(r, transform.Chain(set.NewDecoder(), &strict{highest: utf8.MaxRune, decoded: true}))
}

// strict passes valid UTF-8 text and drops a byte order mark at its beginning. It fails
// with errNotText on NUL, which no text contains, on invalid UTF-8 and on characters
// above highest. In decoded text it also fails on the replacement character, which
// decoders write where they fail.
type strict struct {
	highest rune
	decoded bool
	begun   bool
}

func (s *strict) Reset() { s.begun = false }

func (s *strict) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		if !atEOF && !utf8.FullRune(src[read:]) {
			return written, read, transform.ErrShortSrc
		}
		r, size := utf8.DecodeRune(src[read:])
		if r == 0 || r > s.highest || r == utf8.RuneError && (size == 1 || s.decoded) {
			return written, read, errNotText
		}
		if written+size > len(dst) {
			return written, read, transform.ErrShortDst
		}
		if r != '\ufeff' || s.begun {
			written += copy(dst[written:], src[read:read+size])
		}
		s.begun = true
		read += size
	}
	return written, read, nil
}
