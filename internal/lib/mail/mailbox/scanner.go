package mailbox

import "errors"

const (
	// maxNesting bounds the depth of lists in a response. The client library parses the
	// structure of a mail recursively without a limit, and a stack overflow ends the process.
	maxNesting = 200
	// maxWord bounds the words at the beginning of a response that are looked at.
	maxWord = 16
)

var (
	errNested     = errors.New("a response is nested too deeply")
	errUnbalanced = errors.New("a response has a code without an end")
	errLiteral    = errors.New("a literal has no length")
)

// scanner follows the responses of a server (RFC 9051, 9) as the client library reads them,
// and ends the connection before a list that is too deep. Where the two could differ, it
// fails.
type scanner struct {
	state   scanState
	depth   int
	literal int64 // bytes of the literal that are left, or its length while that is read
	digits  int
	words   int    // words of the line so far
	word    []byte // the current word, upper case
	number  bool   // the second word is a number
	tagged  bool   // the first word is a tag, which only statuses have
	texts   int    // characters of the text of a status so far
	code    bool   // a code is open in it
}

type scanState uint8

const (
	inWords   scanState = iota // at the beginning of a line
	inText                     // in the text of a status, which has no structure
	inData                     // in data
	inQuoted                   // in a quoted string of data
	inEscape                   // behind a backslash in one
	inLength                   // in the length of a literal
	inLineEnd                  // between that and the literal
	inLiteral                  // in a literal
)

// feed takes the next bytes of the server.
func (s *scanner) feed(b []byte) error {
	for len(b) > 0 {
		if s.state == inLiteral {
			n := min(int64(len(b)), s.literal)
			s.literal -= n
			b = b[n:]
			if s.literal == 0 {
				s.state = inData
			}
			continue
		}
		if err := s.step(b[0]); err != nil {
			return err
		}
		b = b[1:]
	}
	return nil
}

func (s *scanner) step(c byte) error {
	switch s.state {
	case inWords:
		return s.begin(c)
	case inText:
		return s.text(c)
	case inQuoted:
		switch c {
		case '"':
			s.state = inData
		case '\\':
			s.state = inEscape
		}
	case inEscape:
		s.state = inQuoted
	case inLength, inLineEnd:
		return s.length(c)
	default:
		return s.data(c)
	}
	return nil
}

// begin reads the first words of a line, which tell whether it is a status.
func (s *scanner) begin(c byte) error {
	switch {
	case s.words == 0 && len(s.word) == 0 && c == '+':
		s.state = inText
		return nil
	case c == '\n':
		s.line()
		return nil
	case atom(c) || c == '*' && s.words == 0:
		if len(s.word) <= maxWord {
			s.word = append(s.word, upper(c))
		}
		return nil
	}
	s.endWord()
	if s.state == inWords && c == ' ' && s.words < 3 {
		return nil
	}
	if s.state == inWords {
		s.state = inData
	}
	return s.step(c)
}

// endWord decides what a line is by its words: "* OK", "* 3 OK" and every tagged line are
// statuses.
func (s *scanner) endWord() {
	s.words++
	word := string(s.word)
	s.word = s.word[:0]
	switch {
	case s.words == 1:
		s.tagged = word != "*"
	case s.tagged:
		s.state = inText
	case s.words == 2 && word != "" && word[0] >= '0' && word[0] <= '9':
		s.number = true
	case s.words == 2 || s.number:
		s.state = inData
		switch word {
		case "OK", "PREAUTH", "NO", "BAD", "BYE":
			s.state = inText
		}
	}
}

// text reads the text of a status. A code is only at its beginning, behind a space.
func (s *scanner) text(c byte) error {
	switch {
	case c == '\n' && s.code:
		return errUnbalanced // the library reads on for its end, over lines
	case c == '\n':
		s.line()
		return nil
	case c == '[' && s.texts == 1:
		s.code = true
	case c == ']':
		s.code = false
	}
	s.texts++
	return nil
}

func (s *scanner) data(c byte) error {
	switch c {
	case '(':
		if s.depth++; s.depth > maxNesting {
			return errNested
		}
	case ')':
		s.depth = max(0, s.depth-1)
	case '"':
		s.state = inQuoted
	case '{':
		s.state, s.literal, s.digits = inLength, 0, 0
	case '\n':
		s.line()
	}
	return nil
}

// length reads {123}, a line end, and with that the beginning of a literal.
func (s *scanner) length(c byte) error {
	const mostDigits = 12
	switch {
	case s.state == inLineEnd && c == '\n':
		s.state = inLiteral
		if s.literal == 0 {
			s.state = inData
		}
	case s.state == inLineEnd && (c == '\r' || c == ' '):
	case s.state == inLength && c >= '0' && c <= '9' && s.digits < mostDigits:
		s.digits++
		s.literal = s.literal*10 + int64(c-'0')
	case s.state == inLength && c == '}' && s.digits > 0:
		s.state = inLineEnd
	default:
		return errLiteral
	}
	return nil
}

// line begins a line.
func (s *scanner) line() { *s = scanner{word: s.word[:0]} }

func atom(c byte) bool {
	switch c {
	case '(', ')', '{', ' ', '%', '*', '"', '\\', ']':
		return false
	}
	return c > ' ' && c != 0x7F && (c < 0x80 || c > 0x9F)
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
