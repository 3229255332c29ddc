package audit

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// summaryScan is the size of a result up to which its members are counted.
const summaryScan = 64 << 10

// Summarize describes a result in a few words without its contents: "string of 120
// bytes", "object with 3 members", "list of 5".
func Summarize(result []byte) string {
	result = bytes.TrimSpace(result)
	if len(result) == 0 {
		return "nothing"
	}
	switch result[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return fmt.Sprintf("string of %d bytes", len(result)-2)
	case '{':
		if n, ok := members(result); ok {
			return fmt.Sprintf("object with %s", plural(n/2, "member"))
		}
		return fmt.Sprintf("object of %d bytes", len(result))
	case '[':
		if n, ok := members(result); ok {
			return fmt.Sprintf("list of %d", n)
		}
		return fmt.Sprintf("list of %d bytes", len(result))
	default:
		return "number"
	}
}

// members counts the values directly in a list, or the names and values in an object.
func members(value []byte) (n int, ok bool) {
	if len(value) > summaryScan {
		return 0, false
	}
	d := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return 0, false
	}
	for ; ; n++ {
		switch k := d.PeekKind(); k {
		case '}', ']':
			return n, true
		default:
			if err := d.SkipValue(); err != nil {
				return 0, false
			}
		}
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
