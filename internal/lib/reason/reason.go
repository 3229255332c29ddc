package reason

import (
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/internal/lib/textcut"
)

// Most is the maximum length of a reason in characters.
const Most = 200

const (
	// readMost bounds what is read of a message: hiding makes it shorter.
	readMost = 2000
	// gram is the number of bytes in a row that count as a part of an argument, and least is
	// the number that a shorter argument must have: one of two letters says nothing.
	gram, least = 6, 3
	// deepest is the depth below which a value is hidden as the text it is: reading each level
	// of its own takes seconds for a value that is nothing but brackets.
	deepest = 32
)

// Of returns the message of a failed call on one line, without the values of its arguments:
// each part that is one is replaced by a mark. Names of parameters stay, since they are
// advice; names in a nested object are values.
func Of(message string, args []byte) string {
	text := strings.Join(strings.FieldsFunc(textcut.Head(message, readMost), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r)
	}), " ")
	if text == "" {
		return ""
	}
	h := newHidden(text)
	if jsonwalk.Kind(args) == "string" {
		args = []byte(jsonwalk.Text(args)) // a model may send the object as a text
	}
	h.arguments(args)
	return textcut.FitChars(h.shown(), Most)
}

// hidden marks the bytes of a text that are parts of arguments.
type hidden struct {
	text, lower string
	bytes       []bool
	at          map[string][]int // positions of each run of gram bytes
	begins      map[[2]byte]bool // the first two bytes of each run, which most of a long argument lack
}

func newHidden(text string) *hidden {
	h := &hidden{text: text, lower: lower(text), bytes: make([]bool, len(text)), at: map[string][]int{}, begins: map[[2]byte]bool{}}
	for i := 0; i+gram <= len(h.lower); i++ {
		run := h.lower[i : i+gram]
		h.at[run] = append(h.at[run], i)
		h.begins[[2]byte{run[0], run[1]}] = true
	}
	return h
}

// arguments hides the values of an object of arguments.
func (h *hidden) arguments(args []byte) {
	for _, value := range jsonwalk.EachMember(args) {
		h.value(value, 0)
	}
}

func (h *hidden) value(value []byte, depth int) {
	kind := jsonwalk.Kind(value)
	if depth == deepest {
		kind = "number"
	}
	switch kind {
	case "object":
		for name, inner := range jsonwalk.EachMember(value) {
			h.hide(jsonwalk.Text(name))
			h.value(inner, depth+1)
		}
	case "array":
		for _, item := range jsonwalk.EachItem(value) {
			h.value(item, depth+1)
		}
	case "string":
		h.hide(jsonwalk.Text(value))
	case "number":
		h.hide(string(value))
	}
}

// hide hides the parts of the text that are in a value.
func (h *hidden) hide(value string) {
	value = lower(value)
	if len(value) < gram {
		h.word(value)
		return
	}
	for i := 0; i+gram <= len(value); i++ {
		if !h.begins[[2]byte{value[i], value[i+1]}] {
			continue
		}
		for _, at := range h.at[value[i:i+gram]] {
			h.mark(at, at+gram)
		}
	}
}

// word hides a short value where it is a word of its own.
func (h *hidden) word(value string) {
	if len(value) < least {
		return
	}
	for from := 0; ; {
		i := strings.Index(h.lower[from:], value)
		if i < 0 {
			return
		}
		at, end := from+i, from+i+len(value)
		if (at == 0 || !inWord(h.lower[at-1])) && (end == len(h.lower) || !inWord(h.lower[end])) {
			h.mark(at, end)
		}
		from = at + 1
	}
}

func (h *hidden) mark(from, to int) {
	for i := from; i < to; i++ {
		h.bytes[i] = true
	}
}

// shown returns the text with a mark in place of each part that is hidden.
func (h *hidden) shown() string {
	var b strings.Builder
	marked := false
	for i, r := range h.text {
		switch {
		case !h.bytes[i]:
			b.WriteRune(r)
		case !marked:
			b.WriteString(textcut.Mark)
		}
		marked = h.bytes[i]
	}
	return b.String()
}

// lower returns a text with its ASCII letters in lower case: its bytes keep their places.
func lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// inWord reports whether a byte is part of a word.
func inWord(c byte) bool {
	return c >= 0x80 || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z'
}
