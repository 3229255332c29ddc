package preview

import (
	"strconv"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

// maxPath is the longest shown path, in bytes.
const maxPath = 240

// path is the path to the value being read, such as headers.Accept, items[3].name or
// form["first name"].
type path []byte

// key appends a member and returns the length to which the path must be cut afterwards.
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

// index appends an item of an array, and returns the same as key.
func (p *path) index(i int) (back int) {
	back = len(*p)
	*p = append(strconv.AppendInt(append(*p, '['), int64(i), 10), ']')
	return back
}

func (p *path) cut(back int) { *p = (*p)[:back] }

// String returns the path, or the beginning and the end of a long path.
func (p *path) String() string {
	way := string(*p)
	if len(way) <= maxPath {
		return way
	}
	return textcut.Head(way, maxPath/2) + textcut.Mark + textcut.Tail(way, maxPath/2)
}

// identifier reports whether a name needs no quotes.
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
