package js

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/file"

	"github.com/helve-dev/helve/tool"
)

// The parser recurses, and a Go stack overflow ends the process. It also takes time
// that is quadratic in the length of an expression and exponential in the depth of
// arrow functions within the parameters of arrow functions. So a source is measured
// before it is parsed.
const (
	// maxWeight limits the open brackets and tokens at any place: a bracket counts
	// bracketWeight, and a token 1 until a comma, a semicolon or the closing bracket
	// ends its expression. The limit is 150 brackets, or an expression of 1,500 tokens,
	// twice the maximum of two thousand real files. Parsing that takes a megabyte of
	// stack, and some seconds for the worst megabyte of source.
	maxWeight     = 1500
	bracketWeight = 10
	// maxArrows limits arrow functions within parameters of arrow functions; each level
	// doubles the time to parse the inside.
	maxArrows = 4
)

// meter tokenizes a source. If it cannot be sure to read the same tokens as the parser,
// it refuses the source, because a bracket could go uncounted.
type meter struct {
	src string
	pos int
	// The author's text is between start and end; base levels are open there.
	start, end, base int
	weight           int
	levels           []level
	// The state before pos: whether it ends an operand, its first byte, the word if it
	// is one, and whether a line ended since.
	after   operand
	last    byte
	word    string
	newline bool
	closed  *level // the brackets that closed last, if they are the last token
}

// operand is the meaning of a following slash.
type operand int8

const (
	before   operand = iota // an operand must follow: a slash starts a regexp
	behind                  // an operand ended: a slash divides
	doubtful                // only a complete parser could decide
)

// level is the text between a pair of brackets.
type level struct {
	open    byte // '`' for ${ in a template
	at      int  // where it was opened
	weight  int
	floor   int  // the weight that a comma leaves: each else nests deeper
	ended   bool // by a semicolon, unless else follows
	control bool // the parentheses of if, while, for or with
	object  bool // the braces of an object literal
	arrows  int  // levels of arrow functions in parameters
}

// checkNesting refuses a source that would take the parser too much stack or time.
//
// head and foot surround the author's text; together their brackets are balanced.
func checkNesting(name, source, head, tail string) error {
	m := &meter{
		src: source, levels: make([]level, 1, 16), start: len(head), end: len(source) - len(tail),
		base: 1 + strings.Count(head, "{") + strings.Count(head, "(") - strings.Count(head, ")"),
	}
	reason := "it is not UTF-8"
	if utf8.ValidString(source) {
		reason = m.run()
	}
	if reason == "" {
		return nil
	}
	before := source[:min(m.pos, m.end)]
	line := 1 + strings.Count(before, "\n")
	if isDurable(head) {
		at := file.Position{Line: line, Column: max(len(before)-strings.LastIndexByte(before, '\n')-1, 1)}
		return tool.Fail(tool.ValidationError, "%s: %s", place(at, head), reason)
	}
	return tool.Fail(tool.ValidationError, "%s:%d: %s", name, line, reason)
}

func (m *meter) run() string {
	if strings.HasPrefix(m.src, "#!") {
		m.pos = m.line(0)
	}
	for {
		m.space()
		if m.pos >= m.end && len(m.levels) > m.base {
			return m.unclosed("the code ends")
		}
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

// count adds the weight of one more token to the current level. A statement that a
// semicolon ended is complete unless the token is else.
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

// begins reports whether a word at the beginning of a line starts a statement: an
// operand or a block precedes it, and no expression continues with such a word.
func (m *meter) begins(word string) bool {
	return word != "" && m.newline && (m.after == behind || m.last == '}') && !continues[word]
}

// continues lists words with which an expression or a statement may continue on another
// line.
var continues = map[string]bool{
	"in": true, "instanceof": true, "of": true, "else": true, "while": true, "catch": true, "finally": true, "extends": true,
}

func (m *meter) set(l *level, weight int) {
	m.weight += weight - l.weight
	l.weight = weight
}

func (m *meter) open(c byte) string {
	m.levels = append(m.levels, level{
		open: c, at: m.pos - 1, weight: bracketWeight,
		control: c == '(' && takesCondition[m.word],
		object:  c == '{' && (strings.IndexByte("([,=?&|!", m.last) >= 0 || m.word == "return"),
	})
	m.weight += bracketWeight
	m.see(before, c)
	return ""
}

func (m *meter) shut(c byte) string {
	l := m.levels[len(m.levels)-1]
	if len(m.levels) == 1 || len(m.levels) <= m.base && m.pos > m.start && m.pos <= m.end {
		return fmt.Sprintf("this '%c' closes a bracket that was not opened", c)
	}
	if closes(l.open) != c {
		return m.unclosed(fmt.Sprintf("this '%c' stands", c))
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

// unclosed reports the open bracket at an unexpected token.
func (m *meter) unclosed(where string) string {
	l := m.levels[len(m.levels)-1]
	open := string(rune(l.open))
	if l.open == '`' {
		open = "${"
	}
	return fmt.Sprintf("the '%s' of line %d is still open where %s; close it with '%c'",
		open, 1+strings.Count(m.src[:l.at], "\n"), where, closes(l.open))
}

func (m *meter) deepen(arrows int) {
	l := &m.levels[len(m.levels)-1]
	l.arrows = max(l.arrows, arrows)
}

// see records the token that was read.
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

// beginsStatement lists words that cannot occur within an expression, so that code
// without semicolons is not taken for one long expression.
var beginsStatement = map[string]bool{
	"const": true, "var": true, "return": true, "throw": true, "switch": true, "try": true, "break": true, "continue": true,
}

// takesCondition lists words whose parentheses do not end an operand.
var takesCondition = map[string]bool{"if": true, "while": true, "for": true, "with": true}

// wantsOperand lists words after which a slash starts a regexp.
var wantsOperand = map[string]bool{
	"return": true, "typeof": true, "case": true, "in": true, "instanceof": true, "void": true, "delete": true,
	"throw": true, "new": true, "else": true, "do": true, "extends": true,
}
