package calc

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// symbolKind is the kind of a symbol.
type symbolKind int

const (
	endSymbol symbolKind = iota
	numberSymbol
	nameSymbol
	operatorSymbol
)

// symbol is a number, a name, an operator or a bracket of an expression.
type symbol struct {
	kind  symbolKind
	text  string // operators and names, in lower case
	value Quantity
	at    int  // the byte it begins at
	loose bool // a space stands before it
}

// is reports whether the symbol is one of these operators.
func (s *symbol) is(operators ...string) bool {
	for _, op := range operators {
		if s.kind == operatorSymbol && s.text == op {
			return true
		}
	}
	return false
}

// spellings maps other spellings to operators.
var spellings = map[string]string{
	"×": "*", "·": "*", "∙": "*", "⋅": "*", "÷": "/", "∕": "/", "−": "-", "–": "-", "**": "^",
}

// wordOperators lists operators that are words; x is an operator only between operands.
var wordOperators = map[string]string{"mod": "mod", "of": "of", "off": "off", "percent": "percent", "x": "*"}

// lexer splits an expression into symbols.
type lexer struct {
	text string
	pos  int
	// brackets records for each open bracket, innermost last, whether commas separate
	// the arguments of a function; elsewhere a comma may group thousands.
	brackets []bool
	symbols  []symbol
}

// lex returns the symbols of an expression; the last one marks the end.
func lex(text string) ([]symbol, error) {
	l := &lexer{text: text}
	for {
		before := l.pos
		l.skipSpaces()
		if l.pos == len(text) {
			l.add(symbol{kind: endSymbol, at: l.pos})
			return l.symbols, nil
		}
		at := len(l.symbols)
		if err := l.next(); err != nil {
			return nil, err
		}
		l.symbols[at].loose = l.symbols[at].at > before
	}
}

func (l *lexer) skipSpaces() {
	for l.pos < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		l.pos += size
	}
}

func (l *lexer) add(s symbol) { l.symbols = append(l.symbols, s) }

// characterAt converts a byte index to the character position in messages, counted from
// 1.
func characterAt(text string, at int) int { return utf8.RuneCountInString(text[:at]) + 1 }

func (l *lexer) next() error {
	r, _ := utf8.DecodeRuneInString(l.text[l.pos:])
	switch c := l.text[l.pos]; {
	case isDecimalDigit(c) || c == '.' && l.pos+1 < len(l.text) && isDecimalDigit(l.text[l.pos+1]):
		return l.number()
	case unicode.IsLetter(r):
		l.name()
		return nil
	default:
		return l.operator(r)
	}
}

func isDecimalDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) operator(r rune) error {
	text := string(r)
	if strings.HasPrefix(l.text[l.pos:], "**") {
		text = "**"
	}
	size := len(text)
	if plain, ok := spellings[text]; ok {
		text = plain
	}
	if !strings.ContainsAny(text, "+-*/%^!(),=√²³") {
		return tool.Fail(tool.ValidationError,
			"Invalid characters in expression: %q at position %d. Use numbers, + - * / ^ %% !, parentheses, functions such as sqrt(2), pi and e.",
			r, characterAt(l.text, l.pos))
	}
	switch text {
	case "(":
		l.brackets = append(l.brackets, l.afterFunction())
	case ")":
		l.brackets = l.brackets[:max(len(l.brackets)-1, 0)]
	}
	l.add(symbol{kind: operatorSymbol, text: text, at: l.pos})
	l.pos += size
	return nil
}

func (l *lexer) afterFunction() bool {
	if len(l.symbols) == 0 {
		return false
	}
	last := l.symbols[len(l.symbols)-1]
	_, known := functions[last.text]
	return last.kind == nameSymbol && known
}

// afterOperand reports whether an operator is expected.
func (l *lexer) afterOperand() bool {
	if len(l.symbols) == 0 {
		return false
	}
	last := l.symbols[len(l.symbols)-1]
	_, function := functions[last.text]
	return last.kind == numberSymbol || last.kind == nameSymbol && !function || last.is(")", "!", "%", "percent", "²", "³")
}

// name reads a name, or an operator that is a word. In 6x7 the x is an operator.
func (l *lexer) name() {
	from := l.pos
	for l.pos < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.pos:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			break
		}
		l.pos += size
	}
	text := strings.ToLower(l.text[from:l.pos])
	if text[0] == 'x' && len(text) > 1 && isDecimalDigit(text[1]) {
		text, l.pos = "x", from+1
	}
	if text == "math" && strings.HasPrefix(l.text[l.pos:], ".") { // Math.sqrt(2), as in programs
		l.pos++
		if r, _ := utf8.DecodeRuneInString(l.text[l.pos:]); unicode.IsLetter(r) {
			l.name()
			return
		}
	}
	op, known := wordOperators[text]
	if known && l.afterOperand() {
		l.add(symbol{kind: operatorSymbol, text: op, at: from})
		return
	}
	l.add(symbol{kind: nameSymbol, text: text, at: from})
}

// number reads 12, 1_000, 1,000.5, .5, 1e-3, 0x1F, 0b101 or 0o17.
func (l *lexer) number() error {
	from := l.pos
	value, ok := l.prefixed()
	if !ok {
		digits := l.digits(true)
		if l.looksGrouped(from, digits) {
			return tool.Fail(tool.ValidationError,
				"The comma at position %d separates arguments of the function. Write numbers there without separators, such as max(1000, 2).",
				characterAt(l.text, from-1))
		}
		if l.at('.') {
			l.pos++
			digits += "." + l.digits(false)
		}
		exponent := l.exponent()
		if n, err := strconv.Atoi(exponent); exponent != "" && (err != nil || n > 400 || n < -400) {
			return tool.Fail(tool.ValidationError, "The number at position %d is out of range. Use exponents between -308 and 308.",
				characterAt(l.text, from))
		}
		value, ok = new(big.Rat).SetString(digits + "e" + exponentOrZero(exponent))
		if !ok {
			return tool.Fail(tool.ValidationError, "Invalid number at position %d.", characterAt(l.text, from))
		}
	}
	q, err := Settle(value)
	if err != nil {
		return err
	}
	l.add(symbol{kind: numberSymbol, value: q, at: from})
	return nil
}

// looksGrouped detects the 000 of max(1,000): the comma would separate arguments there,
// and max(1, 0) is not intended.
func (l *lexer) looksGrouped(from int, digits string) bool {
	return len(digits) == 3 && digits[0] == '0' && from > 1 && l.text[from-1] == ',' && isDecimalDigit(l.text[from-2])
}

func exponentOrZero(text string) string {
	if text == "" {
		return "0"
	}
	return text
}

func (l *lexer) at(c byte) bool { return l.pos < len(l.text) && l.text[l.pos] == c }

// digits reads digits with _ between them and, if grouping is allowed, commas before
// exactly three digits.
func (l *lexer) digits(grouping bool) string {
	inArguments := len(l.brackets) > 0 && l.brackets[len(l.brackets)-1]
	var w strings.Builder
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case isDecimalDigit(c):
			w.WriteByte(c)
		case c == '_' && w.Len() > 0 && l.pos+1 < len(l.text) && isDecimalDigit(l.text[l.pos+1]):
		case c == ',' && grouping && !inArguments && w.Len() > 0 && l.groupFollows():
		default:
			return w.String()
		}
		l.pos++
	}
	return w.String()
}

// groupFollows reports whether a comma is followed by exactly three digits.
func (l *lexer) groupFollows() bool {
	rest := l.text[l.pos+1:]
	n := 0
	for n < len(rest) && isDecimalDigit(rest[n]) {
		n++
	}
	return n == 3
}

// exponent reads e5, E+5 or e-5; without digits the e is Euler's number.
func (l *lexer) exponent() string {
	if !l.at('e') && !l.at('E') {
		return ""
	}
	end := l.pos + 1
	if end < len(l.text) && (l.text[end] == '+' || l.text[end] == '-') {
		end++
	}
	from := end
	for end < len(l.text) && isDecimalDigit(l.text[end]) {
		end++
	}
	if end == from {
		return ""
	}
	text := l.text[l.pos+1 : end]
	l.pos = end
	return text
}

// prefixed reads a number in another base.
func (l *lexer) prefixed() (*big.Rat, bool) {
	rest := l.text[l.pos:]
	if len(rest) < 3 || rest[0] != '0' || !strings.ContainsRune("xXbBoO", rune(rest[1])) {
		return nil, false
	}
	end := 2
	for end < len(rest) && (isDecimalDigit(rest[end]) || unicode.IsLetter(rune(rest[end]))) {
		end++
	}
	n, ok := new(big.Int).SetString(rest[:end], 0)
	if !ok {
		return nil, false
	}
	l.pos += end
	return new(big.Rat).SetInt(n), true
}
