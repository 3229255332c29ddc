package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// keys are the values of the indexed fields of a document, as the columns keyed, uniques
// and k1 to k8 hold them. Keys are texts in both databases: row-level security lets
// PostgreSQL use an index only for comparisons that cannot leak, which those of texts are
// and those of numbers and JSON are not.
type keys struct {
	keyed   string // the fields; empty for none
	uniques int64
	list    []string
}

const keyColumns = `keyed, uniques, k1, k2, k3, k4, k5, k6, k7, k8`

// unkeyed is in keyed of a document that was stored without the shape of its collection.
const unkeyed = "-"

const setKeys = `keyed = ?, uniques = ?, k1 = ?, k2 = ?, k3 = ?, k4 = ?, k5 = ?, k6 = ?, k7 = ?, k8 = ?`

// values returns the values of keyColumns, NULL for what there is not.
func (k keys) values() []any {
	v := make([]any, 2+tool.MaxIndexed)
	if k.keyed == "" {
		return v
	}
	v[0], v[1] = k.keyed, k.uniques // also of a document without keys, which has no list
	for i, key := range k.list {
		v[2+i] = key //nolint:gosec // a list has at most tool.MaxIndexed keys
	}
	return v
}

// field returns the name of the field in a slot, from 1.
func (k keys) field(slot int) string {
	name, _, _ := strings.Cut(strings.Fields(k.keyed)[slot-1], ":")
	return strings.TrimPrefix(name, "!")
}

// slots returns the indexed fields in the order of their columns.
func slots(shape *tool.Shape) []string {
	if len(shape.Index) == 0 {
		return shape.Unique
	}
	return slices.Concat(shape.Unique, shape.Index)
}

// slotOf returns the column of an indexed field; empty if it has none.
func slotOf(shape *tool.Shape, field string) string {
	if i := slices.Index(slots(shape), field); i >= 0 {
		return "k" + itoa(i+1)
	}
	return ""
}

// keyedBy names the indexes of a collection: documents that have the name in keyed have
// their keys in the columns.
func keyedBy(shape *tool.Shape) string {
	var b strings.Builder
	for i, field := range slots(shape) {
		if i < len(shape.Unique) {
			b.WriteByte('!')
		}
		fmt.Fprintf(&b, "%s:%d ", field, shape.Fields[field])
	}
	return b.String()
}

// checkIndexes refuses a shape whose indexes cannot be stored.
func checkIndexes(shape *tool.Shape) error {
	all := slots(shape)
	if len(all) > tool.MaxIndexed || len(shape.Unique) > tool.MaxUnique {
		return tool.Fail(tool.Internal, "the tool indexes too many fields of %s", shape.Name)
	}
	for i, field := range all {
		kind, ok := shape.Fields[field]
		if !ok || !fieldForm.MatchString(field) || kind == tool.KindList || kind == tool.KindOther || slices.Contains(all[:i], field) {
			return tool.Fail(tool.Internal, "the tool cannot index the field %q of %s", field, shape.Name)
		}
	}
	return nil
}

// keysOf returns the keys of a document.
func keysOf(shape *tool.Shape, doc json.RawMessage) keys {
	if shape.Fields == nil {
		return keys{keyed: unkeyed}
	}
	all := slots(shape)
	if len(all) == 0 {
		return keys{}
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(doc, &members) // checkDocument has parsed it
	k := keys{keyed: keyedBy(shape), list: make([]string, len(all))}
	for i, field := range all {
		raw := members[field]
		k.list[i] = keyOf(valueOf(raw, shape.Fields[field]))
		if given := string(raw); i < len(shape.Unique) && given != "" && given != "null" && given != `""` {
			k.uniques |= 1 << i
		}
	}
	return k
}

const (
	// maxKey bounds keys: PostgreSQL's indexes hold at most 2,704 bytes of a row.
	maxKey = 200
	// keyPrefix is the number of bytes of a longer value in its key. A hash follows.
	keyPrefix = 168
)

// keyOf returns the key of a value that comparable has returned. Keys sort as the values
// do, as far as the first keyPrefix bytes, and are equal only if the values are.
func keyOf(v any) string {
	var key string
	switch v := v.(type) {
	case string:
		key = v
	case bool:
		key = "0"
		if v {
			key = "1"
		}
	case json.Number:
		key = numberKey(string(v))
	}
	if len(key) <= maxKey {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	at := keyPrefix
	for at > 0 && key[at]&0xC0 == 0x80 {
		at--
	}
	return key[:at] + hex.EncodeToString(sum[:16])
}

// exactKey reports whether keys compare with this one as their values do.
func exactKey(op tool.Op, key string) bool {
	if op == tool.Less || op == tool.LessEqual || op == tool.Greater || op == tool.GreaterEqual {
		return len(key) <= keyPrefix-4 // a prefix ends up to 3 bytes earlier
	}
	return true
}

// exponentBias makes the exponents of numbers positive. A number that is larger sorts as
// the largest.
const exponentBias = 5_000_000

// numberKey returns a text of a JSON number that sorts as the number does: its sign, its
// exponent and its digits, the latter two complemented for a negative number.
func numberKey(n string) string {
	negative := strings.HasPrefix(n, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(n, "-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "5"
	}
	e, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if err != nil && exponent != "" {
		e = exponentBias
		if exponent[0] == '-' {
			e = -exponentBias
		}
	}
	// The number is 0.digits times ten to the power of e.
	e += len(whole) - (len(whole+fraction) - len(digits))
	digits = strings.TrimRight(digits, "0")
	e = min(max(e+exponentBias, 0), 2*exponentBias-1)
	if !negative {
		return fmt.Sprintf("6%07d%s", e, digits)
	}
	return fmt.Sprintf("4%07d%s~", 9_999_999-e, complement(digits))
}

// complement returns 9 minus each digit.
func complement(digits string) string {
	c := []byte(digits)
	for i := range c {
		c[i] = '0' + '9' - c[i]
	}
	return string(c)
}
