package codingagents

import (
	"strings"
	"unicode/utf8"
)

// plain converts terminal output to plain text, piece by piece: no control sequences,
// no control characters except tab and newline, valid UTF-8. The zero value is ready to
// use.
type plain struct {
	state state
	size  int    // of the sequence so far
	cr    bool   // a carriage return came; the next byte decides its meaning
	rune  []byte // the beginning of a character
	out   strings.Builder
}

type state int

const (
	ground   state = iota
	escape         // after ESC
	sequence       // CSI: until a letter
	text           // OSC, DCS and the like: until BEL or ESC \
	textEnd        // ESC within such a text
	oneMore        // one character follows, as after ESC (
)

const (
	escByte   = 0x1b
	belByte   = 0x07
	delByte   = 0x7f
	maxParams = 256
	maxText   = 4096
)

// write returns the text of a piece. An incomplete end is returned with the next piece.
func (p *plain) write(piece []byte) string {
	p.out.Reset()
	for len(piece) > 0 {
		if n := p.run(piece); n > 0 { // most of it
			p.out.Write(piece[:n])
			piece = piece[n:]
			continue
		}
		p.step(piece[0])
		piece = piece[1:]
	}
	return p.out.String()
}

// run counts the plain characters that can be copied unchanged.
func (p *plain) run(piece []byte) int {
	if p.state != ground || p.cr || len(p.rune) > 0 {
		return 0
	}
	for i, b := range piece {
		if b < ' ' && b != '\n' && b != '\t' || b >= delByte {
			return i
		}
	}
	return len(piece)
}

// step processes one byte. A sequence without end is abandoned, so that it cannot
// swallow the rest of the output.
func (p *plain) step(b byte) {
	p.size++
	switch p.state {
	case ground:
		p.char(b)
	case escape:
		p.afterEscape(b)
	case sequence:
		switch {
		case b >= 0x40 && b <= 0x7e, p.size > maxParams:
			p.state = ground
		case b == '\n' || b == escByte:
			p.state = ground
			p.char(b)
		}
	case text:
		switch {
		case b == belByte, p.size > maxText:
			p.state = ground
		case b == escByte:
			p.state = textEnd
		}
	case textEnd:
		p.state = ground
		if b != '\\' { // another sequence began
			p.afterEscape(b)
		}
	case oneMore:
		p.state = ground
	}
}

func (p *plain) afterEscape(b byte) {
	p.size = 0
	switch {
	case b == '[':
		p.state = sequence
	case strings.IndexByte("]PX^_", b) >= 0:
		p.state = text
	case b >= 0x20 && b <= 0x2f:
		p.state = oneMore
	case b == escByte:
		p.state = escape
	case b < ' ':
		p.state = ground
		p.char(b)
	default:
		p.state = ground
	}
}

// char processes a byte outside a sequence.
func (p *plain) char(b byte) {
	if b >= utf8.RuneSelf {
		p.lineEnd(false)
		p.rune = append(p.rune, b)
		for len(p.rune) > 0 && utf8.FullRune(p.rune) {
			r, n := utf8.DecodeRune(p.rune)
			if r < 0x80 || r > 0x9f { // those are control characters, too
				p.out.WriteRune(r)
			}
			p.rune = append(p.rune[:0], p.rune[n:]...)
		}
		return
	}
	for range p.rune { // the character was cut off
		p.out.WriteRune(utf8.RuneError)
	}
	p.rune = p.rune[:0]
	switch {
	case b == '\r':
		p.cr = true
	case b == '\n':
		p.lineEnd(true)
	case b == escByte:
		p.state = escape
	case b == '\t' || b >= ' ' && b != delByte:
		p.lineEnd(false)
		p.out.WriteByte(b)
	}
}

// lineEnd writes a newline for a newline, or when text follows a carriage return: a
// redrawn line becomes a line of its own.
func (p *plain) lineEnd(newline bool) {
	if newline || p.cr {
		p.out.WriteByte('\n')
	}
	p.cr = false
}
