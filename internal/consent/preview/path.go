package preview

import (
	"strconv"
	"unicode/utf8"
)

// maxPath is the longest a path is shown, in bytes.
const maxPath = 240

// path is the way to the value being read, such as headers.Accept, items[3].name
// or form["first name"].
type path []byte

// key goes to a member and returns where to cut the path to come back.
func (p *path) key(label string) (back int) {
	back = len(*p)
	if !identifier(label) {
		*p = append(quote(append(*p, '['), label, false), ']')
		return back
	}
	if back > 0 {
		*p = append(*p, '.')
	}
	*p = append(*p, label...)
	return back
}

// index goes to an item of an array.
func (p *path) index(i int) (back int) {
	back = len(*p)
	*p = append(strconv.AppendInt(append(*p, '['), int64(i), 10), ']')
	return back
}

func (p *path) cut(back int) { *p = (*p)[:back] }

// String returns the path; of a long one the beginning and the end.
func (p *path) String() string {
	way := *p
	if len(way) <= maxPath {
		return string(way)
	}
	head, tail := maxPath/2, len(way)-maxPath/2
	for !utf8.RuneStart(way[head]) {
		head--
	}
	for !utf8.RuneStart(way[tail]) {
		tail++
	}
	return string(way[:head]) + "…" + string(way[tail:])
}

// identifier says whether a name needs no quotes.
func identifier(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '-'):
		default:
			return false
		}
	}
	return name != ""
}
