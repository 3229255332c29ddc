package schema

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// scalarFits reports whether a string, number, boolean or null certainly fits the rule.
// False means "not sure".
func (s *scanner) scalarFits(r *rule, v []byte) bool {
	switch v[0] {
	case '"':
		return s.stringFits(r, v)
	case 'n':
		return r.allows(kindNull) && r.literalFits(v)
	case 't', 'f':
		return r.allows(kindBoolean) && r.literalFits(v)
	}
	return numberFits(r, v)
}

func (s *scanner) stringFits(r *rule, v []byte) bool {
	if !r.allows(kindString) {
		return false
	}
	if !r.listed && r.minLength == 0 && len(v) <= r.maxLength {
		return true
	}
	text := s.unquote(v)
	if r.listed {
		if _, found := r.strings[string(text)]; !found {
			return false
		}
	}
	n := utf8.RuneCount(text)
	return n >= r.minLength && n <= r.maxLength
}

func numberFits(r *rule, v []byte) bool {
	if !r.allows(kindNumber) && (!r.allows(kindInteger) || bytes.ContainsAny(v, ".eE")) {
		return false
	}
	if !r.literalFits(v) {
		return false
	}
	for _, b := range r.bounds {
		if !b.holds(v) {
			return false
		}
	}
	return true
}

// literalFits compares the text of literals: 1.0 against an enum of 1 is "not sure".
func (r *rule) literalFits(v []byte) bool {
	return !r.listed || slices.ContainsFunc(r.literals, func(l string) bool { return l == string(v) })
}

// bound is a minimum or maximum.
type bound struct {
	upper, exclusive bool
	whole            bool  // the limit is the small integer in n
	n                int64 // used when both sides are small integers
	f                float64
}

func newBound(text string, upper, exclusive bool) bound {
	b := bound{upper: upper, exclusive: exclusive}
	b.n, b.whole = smallInt([]byte(text))
	b.f, _ = strconv.ParseFloat(text, 64)
	return b
}

// holds reports whether a number is certainly within the bound. Rounding to a float keeps
// order but may make different numbers equal, so equal floats are "not sure" unless both
// numbers are small integers.
func (b bound) holds(num []byte) bool {
	if n, ok := smallInt(num); ok && b.whole {
		if b.upper {
			return n < b.n || n == b.n && !b.exclusive
		}
		return n > b.n || n == b.n && !b.exclusive
	}
	f, err := strconv.ParseFloat(string(num), 64)
	if err != nil {
		return false
	}
	if b.upper {
		return f < b.f
	}
	return f > b.f
}

// smallInt reads an integer of at most 18 digits written without fraction or
// exponent.
func smallInt(num []byte) (int64, bool) {
	digits := num
	if num[0] == '-' {
		digits = num[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if num[0] == '-' {
		n = -n
	}
	return n, true
}
