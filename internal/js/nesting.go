package js

import (
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// The parser recurses, and a Go stack that overflows ends the process. It also
// takes time that is quadratic in the length of an expression and exponential
// in the depth of arrow functions within the parameters of arrow functions. So
// a source is measured before it is parsed.
const (
	// maxWeight bounds how much stands open at any place: a bracket weighs
	// bracketWeight, and a token 1 until a comma, a semicolon or the closing
	// bracket ends its expression. That is 150 brackets, or an expression of
	// 1,500 tokens, twice what any of two thousand real files has; parsing it
	// takes a megabyte of stack, and the worst megabyte of source some seconds.
	maxWeight     = 1500
	bracketWeight = 10
	// maxArrows bounds arrow functions within parameters of arrow functions;
	// each level doubles the time to parse what is inside.
	maxArrows = 4
)

// meter reads the tokens of a source. Where it cannot be sure to read what the
// parser reads, it refuses, as a hidden bracket would go uncounted.
type meter struct {
	src    string
	pos    int
	weight int
	levels []level
	// What stands before pos: whether it ends an operand, its first byte, the
	// word if it is one, and whether a line ended since.
	after   operand
	last    byte
	word    string
	newline bool
	closed  *level // the brackets that closed last, if they are the last token
}

// operand says what a slash means.
type operand int8

const (
	before   operand = iota // an operand must follow: a slash begins a regexp
	behind                  // an operand ended: a slash divides
	doubtful                // only a whole parser could tell
)

// level is what stands between brackets.
type level struct {
	open    byte // '`' for ${ in a template
	weight  int
	floor   int  // what a comma leaves: each else nests deeper
	ended   bool // by a semicolon, unless else follows
	control bool // the parentheses of if, while, for or with
	object  bool // the braces of an object literal
	arrows  int  // levels of arrow functions in parameters
}

// checkNesting refuses a source that would take the parser too much stack or
// time.
func checkNesting(name, source string) error {
	m := &meter{src: source, levels: make([]level, 1, 16)}
	reason := "it is not UTF-8"
	if utf8.ValidString(source) {
		reason = m.run()
	}
	if reason == "" {
		return nil
	}
	line := 1 + strings.Count(source[:min(m.pos, len(source))], "\n")
	return tool.Fail(tool.ValidationError, "%s:%d: %s", name, line, reason)
}

func (m *meter) run() string {
	if strings.HasPrefix(m.src, "#!") {
		m.pos = m.line(0)
	}
	for {
		m.space()
		if m.pos >= len(m.src) {
			return ""
		}
		if reason := m.token(); reason != "" {
			return reason
		}
		if m.weight > maxWeight {
			return "the code nests too deeply, or an expression is too long; split it"
		}
	}
}

// count gives the current level the weight of one more token. A statement that
// a semicolon ended is over unless the token is else.
func (m *meter) count(word string) {
	l := &m.levels[len(m.levels)-1]
	switch {
	case word == "else":
		l.floor += bracketWeight
		m.set(l, max(l.weight, l.floor))
	case l.ended:
		l.floor = 0
		m.set(l, 0)
	case beginsStatement[word] || m.begins(word):
		m.set(l, l.floor)
	}
	l.ended = false
	m.set(l, l.weight+1)
}

// begins says that a word at the beginning of a line starts a statement: an operand
// or a block stands before it, and no expression goes on with such a word.
func (m *meter) begins(word string) bool {
	return word != "" && m.newline && (m.after == behind || m.last == '}') && !continues[word]
}

// continues holds words that an expression or a statement may go on with on
// another line.
var continues = map[string]bool{"in": true, "instanceof": true, "of": true, "else": true, "while": true, "catch": true, "finally": true, "extends": true}

func (m *meter) set(l *level, weight int) {
	m.weight += weight - l.weight
	l.weight = weight
}

func (m *meter) open(c byte) string {
	m.levels = append(m.levels, level{
		open: c, weight: bracketWeight,
		control: c == '(' && takesCondition[m.word],
		object:  c == '{' && (strings.IndexByte("([,=?&|!", m.last) >= 0 || m.word == "return"),
	})
	m.weight += bracketWeight
	m.see(before, c)
	return ""
}

func (m *meter) shut(c byte) string {
	l := m.levels[len(m.levels)-1]
	if len(m.levels) == 1 || closes(l.open) != c {
		return "a bracket is closed that was not opened"
	}
	m.levels = m.levels[:len(m.levels)-1]
	m.weight -= l.weight
	m.deepen(l.arrows)
	if l.open == '`' {
		return m.template()
	}
	switch {
	case l.control:
		m.see(before, c)
	case c == '}' && !l.object:
		m.see(doubtful, c)
	default:
		m.see(behind, c)
	}
	m.closed = &l
	return ""
}

func (m *meter) deepen(arrows int) {
	l := &m.levels[len(m.levels)-1]
	l.arrows = max(l.arrows, arrows)
}

// see notes the token that was read.
func (m *meter) see(after operand, first byte) {
	m.after, m.last, m.word, m.newline, m.closed = after, first, "", false, nil
}

func closes(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// beginsStatement holds words that cannot stand within an expression, so that
// code without semicolons is not taken for one long expression.
var beginsStatement = map[string]bool{
	"const": true, "var": true, "return": true, "throw": true, "switch": true, "try": true, "break": true, "continue": true,
}

// takesCondition holds words whose parentheses do not end an operand.
var takesCondition = map[string]bool{"if": true, "while": true, "for": true, "with": true}

// wantsOperand holds words behind which a slash begins a regexp.
var wantsOperand = map[string]bool{
	"return": true, "typeof": true, "case": true, "in": true, "instanceof": true, "void": true, "delete": true,
	"throw": true, "new": true, "else": true, "do": true, "extends": true,
}
