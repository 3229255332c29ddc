package dataextraction

import (
	"context"
	"io"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/helve-dev/helve/internal/lib/markdown"
)

// grid collects the tables of a document. A table within a cell is a table of its own.
type grid struct {
	all   [][][]string
	open  []*nested // the innermost last
	cells int
}

// nested is a table that has not ended.
type nested struct {
	rows [][]string
	cell *strings.Builder // nil between two cells
}

func (g *grid) begin() { g.open = append(g.open, &nested{}) }

// end keeps the innermost table, if it has a row.
func (g *grid) end() {
	if len(g.open) == 0 {
		return
	}
	t := g.open[len(g.open)-1]
	t.closeCell()
	g.open = g.open[:len(g.open)-1]
	if len(t.rows) > 0 {
		g.all = append(g.all, t.rows)
	}
}

// inner returns the innermost table; rows outside of a table begin one.
func (g *grid) inner() *nested {
	if len(g.open) == 0 {
		g.begin()
	}
	return g.open[len(g.open)-1]
}

func (t *nested) row() {
	t.closeCell()
	t.rows = append(t.rows, []string{})
}

// startCell begins a cell, in a new row if there is none.
func (t *nested) startCell() {
	t.closeCell()
	if len(t.rows) == 0 {
		t.row()
	}
	t.cell = &strings.Builder{}
}

func (t *nested) closeCell() {
	if t.cell == nil {
		return
	}
	last := &t.rows[len(t.rows)-1]
	*last = append(*last, strings.Join(strings.Fields(t.cell.String()), " "))
	t.cell = nil
}

// maxNested limits tables within tables.
const maxNested = 32

// htmlTables returns the tables of a page. It reads tokens and builds no tree, so that
// deep nesting costs nothing.
func htmlTables(ctx context.Context, page string) (all [][][]string, cut bool, err error) {
	g := &grid{}
	tokens := html.NewTokenizer(strings.NewReader(page))
	for n := 0; ; n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		if kind == html.TextToken {
			g.text(string(tokens.Text()))
			continue
		}
		name, _ := tokens.TagName()
		if g.tag(kind, atom.Lookup(name)); g.cells > maxCells {
			cut = true
			break
		}
	}
	if err := tokens.Err(); err != nil && err != io.EOF && !cut { //nolint:errorlint // the tokenizer returns it itself
		return nil, false, err
	}
	for len(g.open) > 0 {
		g.end()
	}
	return g.all, cut, nil
}

func (g *grid) text(text string) {
	if len(g.open) > 0 {
		if t := g.inner(); t.cell != nil {
			t.cell.WriteString(html.UnescapeString(text))
		}
	}
}

// tag follows a start or end tag.
func (g *grid) tag(kind html.TokenType, name atom.Atom) {
	starts := kind == html.StartTagToken || kind == html.SelfClosingTagToken
	switch {
	case name == atom.Table && starts && len(g.open) < maxNested:
		g.begin()
	case name == atom.Table && !starts:
		g.end()
	case name == atom.Tr && starts:
		g.inner().row()
	case (name == atom.Td || name == atom.Th) && starts:
		g.inner().startCell()
		g.cells++
	case (name == atom.Td || name == atom.Th || name == atom.Tr) && len(g.open) > 0:
		g.inner().closeCell()
	case name == atom.Br || name == atom.P || name == atom.Div || name == atom.Li:
		g.text(" ")
	}
}

// markdownTables returns the tables of a Markdown text.
func markdownTables(ctx context.Context, source string) (all [][][]string, cut bool, err error) {
	_, doc, err := markdown.Parse(ctx, []byte(source))
	if err != nil {
		return nil, false, err
	}
	cells := 0
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		t, ok := n.(*extension.Table)
		if !entering || !ok {
			return ast.WalkContinue, ctx.Err()
		}
		var rows [][]string
		for row := t.FirstChild(); row != nil; row = row.NextSibling() {
			var values []string
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				values = append(values, markdown.Text(cell, []byte(source)))
			}
			if cells += len(values); cells > maxCells {
				cut = true
				return ast.WalkStop, nil
			}
			rows = append(rows, values)
		}
		all = append(all, rows)
		return ast.WalkSkipChildren, nil
	})
	return all, cut, err
}
