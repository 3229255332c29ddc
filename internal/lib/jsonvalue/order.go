package jsonvalue

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"golang.org/x/text/unicode/norm"
)

// The order of values of different types. Missing values come last in either direction.
const (
	rankNumber = iota // numbers, and strings that contain a number
	rankText
	rankBoolean
	rankArray
	rankObject
	rankMissing // null, or an object without the member to sort by
)

// sortKey is the key by which a value is sorted.
type sortKey struct {
	rank   int
	number Decimal
	base   string // text without accents: it is compared first, so that é is next to e
	text   string
}

func sortKeyOf(v jsontext.Value, foldCase bool) sortKey {
	switch v.Kind() {
	case '0':
		number, _ := ParseDecimal(string(v))
		return sortKey{rank: rankNumber, number: number}
	case '"':
		text := jsonwalk.Text(v)
		if number, ok := ParseDecimal(strings.TrimSpace(text)); ok {
			return sortKey{rank: rankNumber, number: number}
		}
		if !foldCase {
			return sortKey{rank: rankText, text: text}
		}
		text = strings.ToLower(text)
		return sortKey{rank: rankText, base: withoutAccents(text), text: text}
	case 't', 'f':
		return sortKey{rank: rankBoolean, text: string(v)}
	case '[':
		return sortKey{rank: rankArray, text: string(canonical(nil, v))}
	case '{':
		return sortKey{rank: rankObject, text: string(canonical(nil, v))}
	default:
		return sortKey{rank: rankMissing}
	}
}

func (k *sortKey) compare(o *sortKey) int {
	if k.rank != o.rank || k.rank == rankMissing {
		return cmp.Compare(k.rank, o.rank)
	}
	if k.rank == rankNumber {
		return k.number.Compare(o.number)
	}
	return cmp.Or(strings.Compare(k.base, o.base), strings.Compare(k.text, o.text))
}

// withoutAccents removes the accents of Latin, Greek and Cyrillic letters. Marks of
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

// Order describes how to sort a list.
type Order struct {
	Member     string // of objects; "" for the items themselves
	Descending bool
	FoldCase   bool
}

// Sorted returns the items in order; the sort is stable.
func (o Order) Sorted(items []jsontext.Value) []jsontext.Value {
	type entry struct {
		key  sortKey
		item jsontext.Value
	}
	entries := make([]entry, len(items))
	for i, item := range items {
		entries[i] = entry{sortKeyOf(jsonwalk.MemberOf(item, o.Member), o.FoldCase), item}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		order := a.key.compare(&b.key)
		if o.Descending && a.key.rank != rankMissing && b.key.rank != rankMissing {
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

// canonical appends equal texts exactly for equal values: the order of members and the
// spelling of numbers and strings do not matter, every digit does.
func canonical(dst []byte, v jsontext.Value) []byte {
	switch v.Kind() {
	case '0':
		number, _ := ParseDecimal(string(v))
		return append(dst, number.key()...)
	case '"':
		return jsonwalk.AppendString(dst, jsonwalk.Text(v))
	case '[':
		dst = append(dst, '[')
		for _, item := range jsonwalk.Items(v) {
			dst = append(canonical(dst, item), ',')
		}
		return append(dst, ']')
	case '{':
		members := jsonwalk.Members(v)
		slices.SortFunc(members, func(a, b jsonwalk.Member) int { return strings.Compare(a.Name, b.Name) })
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(jsonwalk.AppendString(dst, m.Name), ':')
			dst = append(canonical(dst, m.Value), ',')
		}
		return append(dst, '}')
	default:
		return append(dst, v...)
	}
}

// Distinct keeps the first of equal items, compared by a member if one is named; items
// without that member are compared whole.
func Distinct(items []jsontext.Value, member string, foldCase bool) []jsontext.Value {
	seen := make(map[string]bool, len(items))
	distinct := make([]jsontext.Value, 0, len(items))
	for _, item := range items {
		key := "=" + string(canonical(nil, item))
		if v := jsonwalk.MemberOf(item, member); member != "" && v.Kind() != 'n' {
			key = "." + string(canonical(nil, v))
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
