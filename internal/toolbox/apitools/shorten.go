package apitools

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// maxJSONDepth protects readers that recurse.
const maxJSONDepth = 256

// readable reports whether valid JSON is read alike by all readers: without duplicate
// members, and not too deep.
func readable(text []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := dec.ReadToken(); err != nil || dec.StackDepth() > maxJSONDepth {
			return false
		}
		if dec.StackDepth() == 0 {
			return true
		}
	}
}

// shorten returns JSON of at most a number of bytes: a list, or the longest list of an
// object, loses items at its end. The note reports how many. It returns nil if that is not
// enough.
func shorten(text []byte, longest int) (short json.RawMessage, note string) {
	var compact bytes.Buffer
	if json.Compact(&compact, text) != nil {
		return nil, ""
	}
	if compact.Len() <= longest {
		return compact.Bytes(), ""
	}
	if list, ok := itemsOf(compact.Bytes()); ok {
		return fewer(list, longest, "")
	}
	members := membersOf(compact.Bytes())
	long := -1
	for i, m := range members {
		if m.value[0] == '[' && (long < 0 || len(m.value) > len(members[long].value)) {
			long = i
		}
	}
	if long < 0 {
		return nil, ""
	}
	list, _ := itemsOf(members[long].value)
	room := longest - (compact.Len() - len(members[long].value))
	value, note := fewer(list, room, " of "+members[long].name)
	if value == nil {
		return nil, ""
	}
	members[long].value = value
	return object(members), note
}

// fewer returns the first items of a list that fit, at least one.
func fewer(list []json.RawMessage, longest int, where string) (json.RawMessage, string) {
	n, size := 0, 2
	for n < len(list) && size+len(list[n])+1 <= longest {
		size += len(list[n]) + 1
		n++
	}
	if n == 0 {
		return nil, ""
	}
	var w bytes.Buffer
	w.WriteByte('[')
	w.Write(bytes.Join(asBytes(list[:n]), []byte(",")))
	w.WriteByte(']')
	return w.Bytes(), fmt.Sprintf("The answer is long: %d of %d items%s are shown. Ask for less, such as fewer items a page.",
		n, len(list), where)
}

func asBytes(list []json.RawMessage) [][]byte {
	all := make([][]byte, len(list))
	for i, item := range list {
		all[i] = item
	}
	return all
}
