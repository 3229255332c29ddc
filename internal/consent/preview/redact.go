package preview

import "strings"

// redact replaces what looks like a secret within a text by concealed, and says
// whether there was any. What remains tells what kind of secret it was: sk-•••,
// Bearer •••, https://•••@example.com, token=•••.
//
// A pattern never swallows spaces or signs that a shell acts on, nor an address,
// so a command cannot be hidden behind a prefix.
func redact(text string) (clean string, some bool) {
	s := scan{text: text}
	for s.at < len(text) {
		c := text[s.at]
		switch {
		case !inWord(c):
			s.at++
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

// scan is the state of redact: text[:done] was written or hidden, text[:at] was
// looked at.
type scan struct {
	text     string
	out      strings.Builder
	done, at int
	some     bool
	address  int  // assignments before this place have an address as their value
	endless  bool // no private key ends behind this place
}

// hide replaces a part that lies behind what was hidden before.
func (s *scan) hide(from, to int) {
	if from < s.done || from >= to {
		return
	}
	s.out.WriteString(s.text[s.done:from])
	s.out.WriteByte(concealed)
	s.done, s.some = to, true
	s.at = max(s.at, to)
}

// inWord says whether a byte belongs to a name or to a token.
func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// run is how far bytes of one kind go from a place.
func run(text string, from int, of func(byte) bool) int {
	for from < len(text) && of(text[from]) {
		from++
	}
	return from
}

// word looks at a run of letters, digits, - and _, and at what follows it.
func (s *scan) word() {
	from, end := s.at, run(s.text, s.at, inWord)
	s.at = end
	word, rest := s.text[from:end], s.text[end:]
	switch {
	case strings.HasPrefix(rest, "://"):
		s.authority(end + len("://"))
	case strings.EqualFold(word, "bearer") && strings.HasPrefix(rest, " "):
		start := run(s.text, end, isSpace)
		stop := run(s.text, start, inCredential)
		if stop-start >= 8 || strings.ContainsAny(s.text[start:stop], "0123456789") {
			s.hide(start, stop)
		}
	case s.token(from, end):
	default:
		s.assignment(from, end)
	}
}

// authority hides the user part of an address and leaves its host in sight.
func (s *scan) authority(from int) {
	end := from + authorityEnd(s.text[from:])
	if at := strings.LastIndexByte(s.text[from:end], '@'); at >= 0 {
		s.hide(from, from+at)
	}
	s.at = end
}

// authorityEnd is where the part of an address behind :// ends.
func authorityEnd(text string) int {
	if end := strings.IndexAny(text, "/?#\\ \t\r\n\"'`<>{}|^"); end >= 0 {
		return end
	}
	return len(text)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// inCredential are the bytes of what follows "Bearer".
func inCredential(c byte) bool { return inWord(c) || strings.IndexByte(".~+/=", c) >= 0 }
