package markdown

import (
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// guardInlines runs first at every mark within a block. It handles only the marks of
// emphasis: pairing them must stop when the call ends, and marks that can neither begin
// nor end emphasis must not be examined repeatedly.
type guardInlines struct{ *guard }

func (guardInlines) Trigger() []byte { return []byte(guarded) }

func (g guardInlines) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	g.check()
	char := block.Peek()
	if char != '*' && char != '_' && char != '~' {
		return nil
	}
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	mark := parser.ScanDelimiter(line, before, 1, guardMarks{g.guard, char == '~'})
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

// guardMarks decides which marks form pairs and what a pair produces.
type guardMarks struct {
	*guard

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
