package utilities

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions here take apart what [jsonProblem] found to be valid, so they check
// nothing again: values within values would be read once for each level, which for
// deep ones takes seconds. On anything else they answer something, and end.

// jsonMember is one member of an object, in the object's order.
type jsonMember struct {
	name  string
	value jsontext.Value
}

// jsonMembers splits an object; other values have no members. What it returns
// shares memory with the object.
func jsonMembers(object jsontext.Value) []jsonMember {
	var all []jsonMember
	for i := jsonOpen(object, '{'); i < len(object) && object[i] == '"'; {
		end := jsonEnd(object, i)
		name := jsonText(object[i:end])
		i = jsonSpaceEnd(object, end) + 1 // behind the colon
		i = jsonSpaceEnd(object, i)
		end = jsonEnd(object, i)
		all = append(all, jsonMember{name, object[i:end:end]})
		i = jsonNext(object, end)
	}
	return all
}

// jsonItems splits an array; other values have no items. What it returns shares
// memory with the array.
func jsonItems(array jsontext.Value) []jsontext.Value {
	all := []jsontext.Value{}
	for i := jsonOpen(array, '['); i < len(array) && array[i] != ']'; {
		end := jsonEnd(array, i)
		all = append(all, array[i:end:end])
		i = jsonNext(array, end)
	}
	return all
}

// jsonOpen returns where the first part of a value begins that opens with this
// bracket, the end if it opens otherwise.
func jsonOpen(v []byte, bracket byte) int {
	i := jsonSpaceEnd(v, 0)
	if i >= len(v) || v[i] != bracket {
		return len(v)
	}
	return jsonSpaceEnd(v, i+1)
}

// jsonNext returns where the part after one that ended here begins, or the end.
func jsonNext(v []byte, end int) int {
	if i := jsonSpaceEnd(v, end); i < len(v) && v[i] == ',' {
		return jsonSpaceEnd(v, i+1)
	}
	return len(v)
}

// jsonSpaceEnd skips white space.
func jsonSpaceEnd(v []byte, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\t' || v[i] == '\r' || v[i] == '\n') {
		i++
	}
	return min(i, len(v))
}

// jsonEnd returns where the value that begins at i ends.
func jsonEnd(v []byte, i int) int {
	depth := 0
	for ; i < len(v); i++ {
		switch v[i] {
		case '"':
			if i = jsonStringEnd(v, i); depth == 0 {
				return i
			}
			i--
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 { // the bracket is the one around a number or a word
				return i
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(v)
}

// jsonStringEnd returns where the string whose quote is at i ends.
func jsonStringEnd(v []byte, i int) int {
	for i++; i < len(v); i++ {
		stop := bytes.IndexAny(v[i:], "\"\\")
		switch {
		case stop < 0:
			return len(v)
		case v[i+stop] == '"':
			return i + stop + 1
		}
		i += stop + 1 // what is escaped
	}
	return len(v)
}
