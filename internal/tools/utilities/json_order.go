package utilities

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// The order of values of different types. What is missing stands last whichever
// way a list is sorted.
const (
	rankNumber = iota // numbers, and strings that hold one
	rankText
	rankBoolean
	rankArray
	rankObject
	rankMissing // null, or an object without the member that is sorted by
)

// jsonSortKey is what a value is sorted by.
type jsonSortKey struct {
	rank   int
	number jsonDecimal
	base   string // text without accents: it counts first, so that é stands by e
	text   string
}

func jsonSortKeyOf(v jsontext.Value, foldCase bool) jsonSortKey {
	switch v.Kind() {
	case '0':
		number, _ := parseJSONDecimal(string(v))
		return jsonSortKey{rank: rankNumber, number: number}
	case '"':
		text := jsonText(v)
		if number, ok := parseJSONDecimal(strings.TrimSpace(text)); ok {
			return jsonSortKey{rank: rankNumber, number: number}
		}
		if !foldCase {
			return jsonSortKey{rank: rankText, text: text}
		}
		text = strings.ToLower(text)
		return jsonSortKey{rank: rankText, base: withoutAccents(text), text: text}
	case 't', 'f':
		return jsonSortKey{rank: rankBoolean, text: string(v)}
	case '[':
		return jsonSortKey{rank: rankArray, text: string(jsonCanonical(nil, v))}
	case '{':
		return jsonSortKey{rank: rankObject, text: string(jsonCanonical(nil, v))}
	default:
		return jsonSortKey{rank: rankMissing}
	}
}

func (k *jsonSortKey) compare(o *jsonSortKey) int {
	if k.rank != o.rank || k.rank == rankMissing {
		return cmp.Compare(k.rank, o.rank)
	}
	if k.rank == rankNumber {
		return k.number.compare(o.number)
	}
	return cmp.Or(strings.Compare(k.base, o.base), strings.Compare(k.text, o.text))
}

// withoutAccents drops the marks of Latin, Greek and Cyrillic letters. Those of
// other scripts are letters of their own.
func withoutAccents(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// jsonOrder says how a list is sorted.
type jsonOrder struct {
	member     string // of objects; "" for the items themselves
	descending bool
	foldCase   bool
}

// sorted returns the items in order; equal ones keep theirs.
func (o jsonOrder) sorted(items []jsontext.Value) []jsontext.Value {
	type entry struct {
		key  jsonSortKey
		item jsontext.Value
	}
	entries := make([]entry, len(items))
	for i, item := range items {
		entries[i] = entry{jsonSortKeyOf(jsonMemberOf(item, o.member), o.foldCase), item}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		order := a.key.compare(&b.key)
		if o.descending && a.key.rank != rankMissing && b.key.rank != rankMissing {
			return -order
		}
		return order
	})
	sorted := make([]jsontext.Value, len(entries))
	for i := range entries {
		sorted[i] = entries[i].item
	}
	return sorted
}

// jsonMemberOf is the named member of an object, nil where there is none; with
// no name it is the value itself.
func jsonMemberOf(v jsontext.Value, name string) jsontext.Value {
	if name == "" {
		return v
	}
	for _, m := range jsonMembers(v) {
		if m.name == name {
			return m.value
		}
	}
	return jsontext.Value("null")
}

// jsonCanonical appends a text that is the same for equal values and for no
// others: neither the order of members nor the spelling of a number or a string
// counts, every digit does.
func jsonCanonical(dst []byte, v jsontext.Value) []byte {
	switch v.Kind() {
	case '0':
		number, _ := parseJSONDecimal(string(v))
		return append(dst, number.key()...)
	case '"':
		return appendJSONString(dst, jsonText(v))
	case '[':
		dst = append(dst, '[')
		for _, item := range jsonItems(v) {
			dst = append(jsonCanonical(dst, item), ',')
		}
		return append(dst, ']')
	case '{':
		members := jsonMembers(v)
		slices.SortFunc(members, func(a, b jsonMember) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(appendJSONString(dst, m.name), ':')
			dst = append(jsonCanonical(dst, m.value), ',')
		}
		return append(dst, '}')
	default:
		return append(dst, v...)
	}
}

// appendJSONString appends a string in quotes. What is not UTF-8 becomes the
// replacement character, which is all JSON can do.
func appendJSONString(dst []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\ufffd"))
	}
	return quoted
}

// jsonDistinct keeps the first of equal items, by a member if one is named; items
// without that member are compared whole.
func jsonDistinct(items []jsontext.Value, member string, foldCase bool) []jsontext.Value {
	seen := make(map[string]bool, len(items))
	distinct := make([]jsontext.Value, 0, len(items))
	for _, item := range items {
		key := "=" + string(jsonCanonical(nil, item))
		if v := jsonMemberOf(item, member); member != "" && v.Kind() != 'n' {
			key = "." + string(jsonCanonical(nil, v))
		}
		if foldCase {
			key = strings.ToLower(key)
		}
		if !seen[key] {
			seen[key] = true
			distinct = append(distinct, item)
		}
	}
	return distinct
}
