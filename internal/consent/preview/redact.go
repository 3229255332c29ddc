package preview

import "strings"

// redact replaces text that looks like a secret by concealed, and reports whether there was
// any. The rest shows the kind of secret: sk-•••, Bearer •••, https://•••@example.com,
// token=•••.
//
// A pattern never includes spaces, signs with a meaning in a shell, or an address, so a
// command cannot be hidden behind a prefix.
//
// Program is the program whose arguments the text is part of, "" if unknown.
func redact(text, program string) (clean string, some bool) {
	s := scan{text: text, program: program}
	for s.at < len(text) {
		c := text[s.at]
		switch {
		case c == '#' && s.url:
			s.fragment()
		case !inWord(c):
			s.sign(c)
		case c == '-' && strings.HasPrefix(text[s.at:], pemBegin):
			s.pem()
		default:
			s.word()
		}
	}
	if !s.some {
		return text, false
	}
	s.out.WriteString(text[s.done:])
	return s.out.String(), true
}

// sign consumes a byte that is part of no word.
func (s *scan) sign(c byte) {
	switch {
	case c == ' ', c == '\t', c == '"', c == '\'', c == '`', c == '<', c == '>':
		s.url = false
	case c == ';', c == '|', c == '\n', c == '&' && !s.url:
		s.url, s.program, s.curl = false, "", false
	}
	s.at++
}

// scan is the state of redact: text[:done] was written or hidden, text[:at] was examined.
type scan struct {
	text     string
	out      strings.Builder
	done, at int
	some     bool
	address  int  // assignments before this position have an address as their value
	endless  bool // no private key ends after this position

	url     bool   // text[:at] ends within an address
	curl    bool   // the command is curl
	program string // the program, of programs, whose arguments the current words are
}

// hide replaces a part that follows the last hidden part.
func (s *scan) hide(from, to int) {
	if from < s.done || from >= to {
		return
	}
	s.out.WriteString(s.text[s.done:from])
	s.out.WriteByte(concealed)
	s.done, s.some = to, true
	s.at = max(s.at, to)
}

// inWord reports whether a byte can be part of a name or of a token.
func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// run returns the end of the run of bytes of one kind that starts at a position.
func run(text string, from int, of func(byte) bool) int {
	for from < len(text) && of(text[from]) {
		from++
	}
	return from
}

// word examines a run of letters, digits, - and _, and the text after it.
func (s *scan) word() {
	from, end := s.at, run(s.text, s.at, inWord)
	s.at = end
	word, rest := s.text[from:end], s.text[end:]
	s.curl = s.curl || word == "curl"
	s.command(from, end)
	switch {
	case strings.HasPrefix(rest, "://"):
		s.authority(end + len("://"))
	case strings.EqualFold(word, "bearer") && strings.HasPrefix(rest, " "):
		start := run(s.text, end, isSpace)
		stop := run(s.text, start, inCredential)
		if stop-start >= 8 || strings.ContainsAny(s.text[start:stop], "0123456789") {
			s.hide(start, stop)
		}
	case s.token(from, end), s.option(from, end):
	default:
		s.assignment(from, end)
	}
}

// authority hides the user part of an address and keeps its host visible.
func (s *scan) authority(from int) {
	end := from + authorityEnd(s.text[from:])
	if at := strings.LastIndexByte(s.text[from:end], '@'); at >= 0 {
		s.hide(from, from+at)
	}
	s.at, s.url = end, true
}

// authorityEnd returns the end of the part of an address after ://.
func authorityEnd(text string) int {
	if end := strings.IndexAny(text, "/?#\\ \t\r\n\"'`<>{}|^"); end >= 0 {
		return end
	}
	return len(text)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// inCredential reports whether a byte can be part of the text after "Bearer".
func inCredential(c byte) bool { return inWord(c) || strings.IndexByte(".~+/=", c) >= 0 }
