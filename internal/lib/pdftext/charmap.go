package pdftext

import "unicode/utf16"

// characters maps the codes of a font to text, as its ToUnicode stream defines.
type characters struct {
	single map[string]string
	ranges []codeRange
}

// codeRange maps consecutive codes to consecutive characters.
type codeRange struct {
	low, high string
	first     string   // text of the first code; the last character is incremented
	each      []string // or the text of each code
}

// maxMappings limits the size of a map; there are no more characters than that.
const maxMappings = 1 << 16

// parseCharacters parses a ToUnicode stream (PDF 32000-1, 9.10.3).
func parseCharacters(data []byte) *characters {
	m := &characters{single: map[string]string{}}
	l := &lexer{data: data}
	var args []any
	for {
		token, ok := l.next()
		if !ok || len(m.single)+len(m.ranges) > maxMappings {
			return m
		}
		op, isOperator := token.(operator)
		if !isOperator {
			if args = append(args, token); len(args) > 3*maxMappings {
				return m
			}
			continue
		}
		switch op {
		case "endbfchar":
			for i := 0; i+1 < len(args); i += 2 {
				code, ok1 := args[i].(text)
				value, ok2 := args[i+1].(text)
				if ok1 && ok2 {
					m.single[string(code)] = fromUTF16(string(value))
				}
			}
		case "endbfrange":
			for i := 0; i+2 < len(args); i += 3 {
				m.addRange(args[i], args[i+1], args[i+2])
			}
		}
		args = args[:0]
	}
}

func (m *characters) addRange(low, high, to any) {
	from, ok1 := low.(text)
	until, ok2 := high.(text)
	if !ok1 || !ok2 || len(from) != len(until) || len(from) == 0 {
		return
	}
	r := codeRange{low: string(from), high: string(until)}
	switch v := to.(type) {
	case text:
		r.first = fromUTF16(string(v))
	case []any:
		for _, item := range v {
			s, _ := item.(text)
			r.each = append(r.each, fromUTF16(string(s)))
		}
	}
	m.ranges = append(m.ranges, r)
}

// lookup returns the text of one code.
func (m *characters) lookup(code string) (string, bool) {
	if s, ok := m.single[code]; ok {
		return s, true
	}
	for _, r := range m.ranges {
		if len(code) != len(r.low) || code < r.low || code > r.high {
			continue
		}
		n := codeNumber(code) - codeNumber(r.low)
		if r.each != nil {
			if n < len(r.each) {
				return r.each[n], true
			}
			return "", false
		}
		runes := []rune(r.first)
		if len(runes) == 0 {
			return "", false
		}
		runes[len(runes)-1] += rune(n)
		return string(runes), true
	}
	return "", false
}

func codeNumber(code string) int {
	n := 0
	for i := range len(code) {
		n = n<<8 | int(code[i])
	}
	return n
}

// fromUTF16 decodes big-endian UTF-16. Some producers write single bytes.
func fromUTF16(s string) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}
