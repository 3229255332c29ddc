package utilities

import (
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// guardInlines is asked first at every mark within a block. It leaves them to others
// but for the marks of emphasis: a call must be able to end while they are paired,
// and what can neither begin nor end emphasis must not be looked at again and again.
type guardInlines struct{ *markdownGuard }

func (guardInlines) Trigger() []byte { return []byte(guarded) }

func (g guardInlines) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	g.check()
	char := block.Peek()
	if char != '*' && char != '_' && char != '~' {
		return nil
	}
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	mark := parser.ScanDelimiter(line, before, 1, guardMarks{g.markdownGuard, char == '~'})
	if mark == nil || char == '~' && (mark.OriginalLength > 2 || before == '~') {
		return nil
	}
	mark.Segment = segment.WithStop(segment.Start + mark.OriginalLength)
	block.Advance(mark.OriginalLength)
	if !mark.CanOpen && !mark.CanClose {
		return ast.NewTextSegment(mark.Segment)
	}
	pc.PushDelimiter(mark)
	return mark
}

// guardMarks says which marks are pairs and what they make of what is between them.
type guardMarks struct {
	*markdownGuard

	strike bool
}

func (g guardMarks) IsDelimiter(b byte) bool {
	if g.strike {
		return b == '~'
	}
	return b == '*' || b == '_'
}

func (g guardMarks) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	g.check()
	return opener.Char == closer.Char
}

func (g guardMarks) OnMatch(consumed int) ast.Node {
	if g.strike {
		return tables.NewStrikethrough()
	}
	return ast.NewEmphasis(consumed)
}
