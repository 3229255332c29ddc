package markdown

import (
	"bytes"
	"context"

	"github.com/helve-dev/helve/internal/lib/bounded"
	"github.com/helve-dev/helve/tool"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits of a Markdown text.
const (
	maxBlocks      = 100     // nested quotes and lists
	maxDepth       = 1000    // nested nodes of any kind
	maxTableCells  = 100_000 // of one table
	MaxDefinitions = 5000    // link definitions without a blank line between them
)

// Parse parses CommonMark with tables, strikethrough, task lists and bare links, as
// GitHub does. md does not render raw HTML.
func Parse(ctx context.Context, source []byte) (md goldmark.Markdown, doc ast.Node, err error) {
	defer func() {
		if stopped := recover(); stopped != nil {
			reason, ok := stopped.(stop)
			if !ok {
				panic(stopped)
			}
			err = reason.err
		}
	}()
	guard := &guard{ctx: ctx}
	md = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(
		parser.WithBlockParsers(util.Prioritized(guardBlocks{guard}, -1)),
		parser.WithInlineParsers(util.Prioritized(guardInlines{guard}, -1)),
		parser.WithParagraphTransformers(util.Prioritized(guardParagraphs{}, -1)),
	))
	doc = md.Parser().Parse(text.NewReader(source))
	return md, doc, checkTree(doc)
}

// stop is the value with which a guard panics: the parser has no other way to stop, and
// its time grows quadratically for some texts.
type stop struct{ err error }

// guard stops the parser when its call ends.
type guard struct {
	ctx   context.Context
	calls int
}

func (g *guard) check() {
	const every = 32
	if g.calls++; g.calls%every == 0 {
		if err := g.ctx.Err(); err != nil {
			panic(stop{err})
		}
	}
}

// guarded lists the characters that begin anything but plain text.
const guarded = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// guardBlocks runs first whenever a block may begin, and begins none itself.
type guardBlocks struct{ *guard }

func (guardBlocks) Trigger() []byte { return []byte(guarded + "0123456789") }

func (g guardBlocks) Open(parent ast.Node, _ text.Reader, _ parser.Context) (ast.Node, parser.State) {
	g.check()
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if depth++; depth > maxBlocks {
			panic(stop{tooDeep()})
		}
	}
	return nil, parser.NoChildren
}

func (guardBlocks) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }
func (guardBlocks) Close(ast.Node, text.Reader, parser.Context)                 {}
func (guardBlocks) CanInterruptParagraph() bool                                 { return true }
func (guardBlocks) CanAcceptIndentedLine() bool                                 { return true }

// guardParagraphs examines paragraphs before they become something else. It refuses
// tables whose short rows would be padded without limit, and too many consecutive link
// definitions, which take quadratic time.
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
		panic(stop{tool.Fail(tool.ValidationError, "The Markdown has a table of more than %d cells: split it up.", maxTableCells)})
	}
	if definitions > MaxDefinitions {
		panic(stop{
			tool.Fail(tool.ValidationError, "The Markdown defines more than %d links in a row: part them by blank lines.", MaxDefinitions),
		})
	}
}

// checkTree limits the work of rendering: the depth, which it recurses into, and the
// addresses of links, which many links can share.
func checkTree(doc ast.Node) error {
	depth, addresses := 0, 0
	for n := doc; n != nil; {
		switch link := n.(type) {
		case *ast.Link:
			addresses += len(link.Destination) + len(link.Title)
		case *ast.Image:
			addresses += len(link.Destination) + len(link.Title)
		}
		if depth > maxDepth {
			return tooDeep()
		}
		if addresses > bounded.MaxText {
			return bounded.TooMuch()
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

func tooDeep() error {
	return tool.Fail(tool.ValidationError, "The Markdown nests too deeply: have at most %d quotes or lists, and %d marks, within each other.",
		maxBlocks, maxDepth)
}
