package schema

import (
	"bytes"
	"hash"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// digest is the hash of a canonical value whose numbers a 64-bit float may not keep. It is
// written in pieces: a number of 6 characters may have 400 digits in plain decimal, and
// arguments of 1 MiB may hold 150,000 such numbers.
type digest struct{ hash.Hash }

// value writes a value that is canonical except for its numbers.
func (d digest) value(v []byte) error {
	for len(v) > 0 {
		n := plainLen(v)
		_, _ = d.Write(v[:n]) // a hash returns no errors
		v = v[n:]
		if n = numberLen(v); n > 0 {
			if err := d.number(v[:n]); err != nil {
				return err
			}
			v = v[n:]
		}
	}
	return nil
}

// plainLen returns how many bytes of v lie before its first number.
func plainLen(v []byte) int {
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '-' || c >= '0' && c <= '9':
			return i
		case c == '"':
			for i++; i < len(v) && v[i] != '"'; i++ {
				if v[i] == '\\' {
					i++
				}
			}
		}
	}
	return len(v)
}

// numberLen returns the length of the number at the start of v.
func numberLen(v []byte) int {
	if i := bytes.IndexFunc(v, func(r rune) bool {
		return r != '+' && r != '-' && r != '.' && r != 'e' && r != 'E' && (r < '0' || r > '9')
	}); i >= 0 {
		return i
	}
	return len(v)
}

// number writes a number as RFC 8785 does if the shortest decimal of the nearest 64-bit
// float equals the number itself, and otherwise in plain decimal with all its digits,
// without an exponent and superfluous zeros. Both are exact, so equal numbers get the same
// text and different numbers do not.
func (d digest) number(num []byte) error {
	sent := parseDecimal(num)
	f, err := strconv.ParseFloat(string(num), 64)
	if err != nil {
		return err
	}
	if kept := parseDecimal(strconv.AppendFloat(nil, f, 'e', -1, 64)); sent.equal(kept) {
		short := jsontext.Value(bytes.Clone(num))
		if err := short.Canonicalize(); err != nil {
			return err
		}
		_, _ = d.Write(short)
		return nil
	}
	sent.writeTo(d)
	return nil
}

// decimal is the number 0.DIGITS × 10^point, negated if negative is set. Digits neither
// begin nor end with a zero; zero has no digits, no sign and the point 0.
type decimal struct {
	negative bool
	digits   []byte
	point    int
}

// parseDecimal reads a number that [Strict] accepts.
func parseDecimal(num []byte) decimal {
	var d decimal
	if num[0] == '-' {
		d.negative, num = true, num[1:]
	}
	mantissa := num
	if i := bytes.IndexAny(num, "eE"); i >= 0 {
		mantissa = num[:i]
		d.point, _ = strconv.Atoi(string(num[i+1:])) // bounded by numberProblem
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	d.point += len(whole)
	digits := append(bytes.Clone(whole), fraction...)
	d.digits = bytes.TrimLeft(digits, "0")
	d.point -= len(digits) - len(d.digits)
	d.digits = bytes.TrimRight(d.digits, "0")
	if len(d.digits) == 0 {
		return decimal{}
	}
	return d
}

func (d decimal) equal(e decimal) bool {
	return d.negative == e.negative && d.point == e.point && bytes.Equal(d.digits, e.digits)
}

// writeTo writes d, which is not zero, in plain decimal.
func (d decimal) writeTo(w hash.Hash) {
	var b []byte
	if d.negative {
		b = append(b, '-')
	}
	switch n := len(d.digits); {
	case d.point <= 0:
		b = append(b, "0."...)
		b = append(b, bytes.Repeat([]byte("0"), -d.point)...)
		b = append(b, d.digits...)
	case d.point >= n:
		b = append(b, d.digits...)
		b = append(b, bytes.Repeat([]byte("0"), d.point-n)...)
	default:
		b = append(b, d.digits[:d.point]...)
		b = append(b, '.')
		b = append(b, d.digits[d.point:]...)
	}
	_, _ = w.Write(b) // a hash returns no errors
}
