package canon

import "bytes"

// span is the position of a name, without its quotes.
type span struct{ from, to int }

// names holds the names of one object. Comparing their spelling equals comparing their
// text, because each character has only one spelling here.
type names struct {
	first    [maxUnsorted]span
	n        int
	unsorted bool
}

func (s *scan) object(i, depth int) int {
	if i++; s.at(i) == '}' {
		return i + 1
	}
	var seen names
	for {
		if s.at(i) != '"' {
			return -1
		}
		end := s.text(i)
		if end < 0 || s.at(end) != ':' || !s.add(&seen, span{i + 1, end - 1}) {
			return -1
		}
		if i = s.value(end+1, depth); i < 0 {
			return -1
		}
		switch s.at(i) {
		case ',':
			i++
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

// add reports whether name certainly differs from all names before it. If names are
// sorted only the last one is compared, so that an object may have any number of names.
func (s *scan) add(seen *names, name span) bool {
	text := s.v[name.from:name.to]
	if !plain(text) {
		s.form = Compact // RFC 8785 sorts the unescaped names by UTF-16
	}
	if seen.n > 0 && !seen.unsorted {
		last := seen.first[(seen.n-1)%maxUnsorted]
		seen.unsorted = bytes.Compare(s.v[last.from:last.to], text) >= 0
	}
	if seen.unsorted {
		s.form = Compact
		if seen.n >= maxUnsorted {
			return false
		}
		for _, other := range seen.first[:seen.n] {
			if bytes.Equal(s.v[other.from:other.to], text) {
				return false
			}
		}
	}
	seen.first[seen.n%maxUnsorted] = name
	seen.n++
	return true
}

// plain reports whether a name is ASCII without escapes.
func plain(name []byte) bool {
	for _, c := range name {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}
