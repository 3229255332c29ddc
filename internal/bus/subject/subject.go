// Package subject builds and reads NATS subjects of the form <prefix>.<tenant>.<tokens>.
//
// It promises that a subject which it read belongs to its prefix. It does not know what
// the tokens mean: the packages that own a kind of message name theirs.
package subject

import "strings"

// System is in the place of the tenant in subjects that belong to no tenant.
const System = "_"

// Tree is the subjects below one prefix.
type Tree struct {
	prefix string
}

// New returns the subjects below prefix.
func New(prefix string) Tree { return Tree{prefix: prefix} }

// Prefix returns what all subjects begin with, without a dot at its end.
func (t Tree) Prefix() string { return t.prefix }

// Of returns the subject of a tenant with these tokens.
func (t Tree) Of(tenant string, tokens ...string) string {
	n := len(t.prefix) + 1 + len(tenant)
	for _, token := range tokens {
		n += 1 + len(token)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(t.prefix)
	b.WriteByte('.')
	b.WriteString(tenant)
	for _, token := range tokens {
		b.WriteByte('.')
		b.WriteString(token)
	}
	return b.String()
}

// Split returns the tenant and the tokens after it; ok is false for a subject of another
// prefix. The last of at most n tokens keeps its dots, because names of tools hold dots.
func (t Tree) Split(subject string, n int) (tenant string, tokens []string, ok bool) {
	tenant, rest, ok := t.Cut(subject)
	if !ok {
		return "", nil, false
	}
	return tenant, strings.SplitN(rest, ".", n), true
}

// Cut returns the tenant and the text after it; ok is false for a subject of another
// prefix.
func (t Tree) Cut(subject string) (tenant, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(subject, t.prefix); !ok || !strings.HasPrefix(rest, ".") {
		return "", "", false
	}
	if tenant, rest, ok = strings.Cut(rest[1:], "."); !ok {
		return "", "", false
	}
	return tenant, rest, true
}

// TenantAndLast returns the tenant and the last token of a subject, both empty for a
// subject of another prefix.
func (t Tree) TenantAndLast(subject string) (tenant, last string) {
	rest, ok := strings.CutPrefix(subject, t.prefix+".")
	if !ok {
		return "", ""
	}
	tenant, _, _ = strings.Cut(rest, ".")
	return tenant, rest[strings.LastIndexByte(rest, '.')+1:]
}

// maxName is the length of the longest name, in bytes; docs/protocol.md, Names.
const maxName = 128

// IsName reports whether s can be one token of a subject, without a dot or a wildcard.
func IsName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

const (
	// maxCallID is the length of the longest call_id, that of a call that others made.
	maxCallID = 160
	// maxLevels bounds the calls around a call, and maxNumber the digits of its number.
	maxLevels, maxNumber = 6, 4
)

// IsCallID reports whether s is a name, or that of a call which another call made: its id, a
// tilde and a number, for each level.
func IsCallID(s string) bool {
	name, rest, inner := strings.Cut(s, "~")
	if !IsName(name) || len(s) > maxCallID {
		return false
	}
	for level := 0; inner; level++ {
		var number string
		if number, rest, inner = strings.Cut(rest, "~"); level == maxLevels || !isNumber(number) {
			return false
		}
	}
	return true
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && s[0] != '0' && len(s) <= maxNumber
}
