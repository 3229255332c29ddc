package utilities

import (
	"bytes"
	"context"

	"github.com/helve-dev/helve/tool"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds of what a Markdown text may hold.
const (
	maxMarkdownBlocks = 100     // quotes and lists within each other
	maxMarkdownDepth  = 1000    // all nodes within each other
	maxTableCells     = 100_000 // of one table
	maxDefinitions    = 5000    // of links, without a blank line between them
)

// parseMarkdown reads CommonMark with tables, strikethrough, task lists and bare
// links, as GitHub has them. Raw HTML stays out of what md renders.
func parseMarkdown(ctx context.Context, source []byte) (md goldmark.Markdown, doc ast.Node, err error) {
	defer func() {
		if stopped := recover(); stopped != nil {
			reason, ok := stopped.(markdownStop)
			if !ok {
				panic(stopped)
			}
			err = reason.err
		}
	}()
	guard := &markdownGuard{ctx: ctx}
	md = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(
		parser.WithBlockParsers(util.Prioritized(guardBlocks{guard}, -1)),
		parser.WithInlineParsers(util.Prioritized(guardInlines{guard}, -1)),
		parser.WithParagraphTransformers(util.Prioritized(guardParagraphs{}, -1)),
	))
	doc = md.Parser().Parse(text.NewReader(source))
	return md, doc, checkTree(doc)
}

// markdownStop is what a guard panics with: the parser knows no other way to stop,
// and on some texts its time grows with the square of their length.
type markdownStop struct{ err error }

// markdownGuard ends the parsing with its call.
type markdownGuard struct {
	ctx   context.Context
	calls int
}

func (g *markdownGuard) check() {
	const every = 32
	if g.calls++; g.calls%every == 0 {
		if err := g.ctx.Err(); err != nil {
			panic(markdownStop{err})
		}
	}
}

// guarded are the characters that anything but plain text begins with.
const guarded = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// guardBlocks is asked first whenever a block may begin, and begins none itself.
type guardBlocks struct{ *markdownGuard }

func (guardBlocks) Trigger() []byte { return []byte(guarded + "0123456789") }

func (g guardBlocks) Open(parent ast.Node, _ text.Reader, _ parser.Context) (ast.Node, parser.State) {
	g.check()
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > maxMarkdownBlocks {
			panic(markdownStop{tooDeepMarkdown()})
		}
	}
	return nil, parser.NoChildren
}

func (guardBlocks) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }
func (guardBlocks) Close(ast.Node, text.Reader, parser.Context)                 {}
func (guardBlocks) CanInterruptParagraph() bool                                 { return true }
func (guardBlocks) CanAcceptIndentedLine() bool                                 { return true }

// guardParagraphs looks at paragraphs before they become something else. It refuses
// tables whose short rows would be filled up without end, and definitions of links
// that are too many in a row, which take time with the square of their number.
type guardParagraphs struct{}

func (guardParagraphs) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := node.Lines()
	columns, definitions := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := segment.Value(reader.Source())
		columns = max(columns, bytes.Count(line, []byte{'|'}))
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte{'['}) && bytes.Contains(line, []byte("]:")) {
			definitions++
		}
	}
	if columns > 0 && (columns+1)*lines.Len() > maxTableCells {
		panic(markdownStop{tool.Fail(tool.ValidationError, "The Markdown has a table of more than %d cells: split it up.", maxTableCells)})
	}
	if definitions > maxDefinitions {
		panic(markdownStop{tool.Fail(tool.ValidationError, "The Markdown defines more than %d links in a row: part them by blank lines.", maxDefinitions)})
	}
}

// checkTree bounds what rendering would take: the depth, which it goes down by
// recursion, and the addresses of links, which many links can share.
func checkTree(doc ast.Node) error {
	depth, addresses := 0, 0
	for n := doc; n != nil; {
		switch link := n.(type) {
		case *ast.Link:
			addresses += len(link.Destination) + len(link.Title)
		case *ast.Image:
			addresses += len(link.Destination) + len(link.Title)
		}
		if depth > maxMarkdownDepth {
			return tooDeepMarkdown()
		}
		if addresses > maxTextOutput {
			return tooMuchText()
		}
		if child := n.FirstChild(); child != nil {
			n = child
			depth++
			continue
		}
		for n != nil && n.NextSibling() == nil {
			n = n.Parent()
			depth--
		}
		if n != nil {
			n = n.NextSibling()
		}
	}
	return nil
}

func tooDeepMarkdown() error {
	return tool.Fail(tool.ValidationError, "The Markdown nests too deeply: have at most %d quotes or lists, and %d marks, within each other.", maxMarkdownBlocks, maxMarkdownDepth)
}
