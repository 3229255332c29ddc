package markdown

import (
	"bufio"
	"bytes"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	render "github.com/yuin/goldmark/renderer/html"
	markup "golang.org/x/net/html"
)

// Plain returns the visible text of a document that Parse made from source: words
// without marks, links without addresses, images by their description.
func Plain(doc ast.Node, source []byte) string { return plainText{source}.join(doc, "\n\n") }

// Text is [Plain] for one block of the document, such as the cell of a table.
func Text(block ast.Node, source []byte) string { return plainText{source}.block(block) }

type plainText struct{ source []byte }

// join writes the blocks in parent one after another.
func (p plainText) join(parent ast.Node, between string) string {
	var parts []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if part := p.block(n); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, between)
}

func (p plainText) block(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *tables.TableCell:
		var out strings.Builder
		p.inline(&out, n)
		return strings.TrimSpace(out.String())
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return strings.TrimRight(p.lines(n), "\n")
	case *ast.HTMLBlock:
		raw := p.lines(n)
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(p.source))
		}
		return visibleText(raw)
	case *ast.List:
		if n.IsTight {
			return p.join(n, "\n")
		}
		return p.join(n, "\n\n")
	case *ast.ListItem:
		if list, ok := n.Parent().(*ast.List); ok && list.IsTight {
			return p.join(n, "\n")
		}
		return p.join(n, "\n\n")
	case *tables.Table:
		return p.join(n, "\n")
	case *tables.TableHeader, *tables.TableRow:
		var cells []string
		for cell := n.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, p.block(cell))
		}
		return strings.Join(cells, "\t")
	default:
		return p.join(n, "\n\n")
	}
}

// lines returns the text of a block that contains no marks.
func (p plainText) lines(n ast.Node) string {
	var out strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		out.Write(line.Value(p.source))
	}
	return out.String()
}

func (p plainText) inline(out *strings.Builder, parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := n.Value(p.source)
			if n.IsRaw() || parent.Kind() == ast.KindCodeSpan {
				out.Write(value)
			} else {
				out.WriteString(unescaped(value))
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte('\n')
			}
		case *ast.String:
			out.Write(n.Value)
		case *ast.AutoLink:
			out.Write(n.Label(p.source))
		case *ast.RawHTML, *tables.TaskCheckBox:
		default:
			p.inline(out, n)
		}
	}
}

// unescaped resolves backslashes and entities. The renderer's writer does this and
// escapes the result for HTML, which is undone.
func unescaped(value []byte) string {
	if !bytes.ContainsAny(value, `\&`) {
		return string(value)
	}
	var out strings.Builder
	w := bufio.NewWriterSize(&out, 2*len(value))
	render.DefaultWriter.Write(w, value)
	if err := w.Flush(); err != nil {
		return string(value)
	}
	return html.UnescapeString(out.String())
}

// visibleText returns the text of raw HTML outside tags, scripts and styles.
func visibleText(raw string) string {
	var out strings.Builder
	hidden := false
	tokens := markup.NewTokenizer(strings.NewReader(raw))
	for {
		switch tokens.Next() {
		case markup.ErrorToken:
			return strings.TrimSpace(out.String())
		case markup.StartTagToken, markup.EndTagToken:
			token := tokens.Token()
			if token.Data == "script" || token.Data == "style" {
				hidden = token.Type == markup.StartTagToken
			}
		case markup.TextToken:
			if !hidden {
				out.WriteString(tokens.Token().Data)
			}
		case markup.CommentToken, markup.DoctypeToken, markup.SelfClosingTagToken:
		}
	}
}
