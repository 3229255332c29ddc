package preview

import "strings"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
)

// pem hides the lines of a private key. Only base64 is hidden, so a script cannot be placed
// between the marks.
func (s *scan) pem() {
	head := s.text[s.at:min(len(s.text), s.at+80)]
	size := strings.Index(head[len(pemBegin):], "-----")
	if size < 0 || !strings.Contains(head[:len(pemBegin)+size], "PRIVATE KEY") {
		s.at += len(pemBegin)
		return
	}
	s.at += len(pemBegin) + size + len("-----")
	for end := s.keyEnd(); s.at < end; {
		start := s.at
		stop := min(end, run(s.text, start, inBase64))
		switch rest := s.text[start:end]; {
		case strings.HasPrefix(rest, `\n`), strings.HasPrefix(rest, `\r`):
			s.at += 2
		case stop == start:
			s.at++
		case stop-start >= 12, s.text[stop-1] == '=', strings.Trim(s.text[stop:min(end, stop+8)], "\\nr\r\n\t ") == "":
			s.hide(start, stop)
		default:
			s.at = stop
		}
	}
}

// keyEnd returns the end of the private key at this position: its end mark or, if there is
// none, the first sign that cannot be part of it.
func (s *scan) keyEnd() int {
	if !s.endless {
		if size := strings.Index(s.text[s.at:], pemEnd); size >= 0 {
			return s.at + size
		}
		s.endless = true
	}
	return run(s.text, s.at, func(c byte) bool { return inBase64(c) || isSpace(c) || c == '\n' || c == '\r' || c == '\\' })
}

func inBase64(c byte) bool {
	return inWord(c) && c != '-' && c != '_' || c == '+' || c == '/' || c == '='
}
