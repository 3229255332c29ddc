package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// forbiddenWords maps an expression to the wording to use instead. It holds only
// phrases that are wrong in every sentence, so that there are no false alarms.
var forbiddenWords = []struct {
	re      *regexp.Regexp
	instead string
}{
	{words(`anew`), `"again"`},
	{words(`hear[sd]? of`), `"receives", "sees" or "is notified"`},
	{words(`(?:give|gives|gave|giving) back`), `"returns" or "releases"`},
	{words(`what (?:came|comes|becomes|became|has become) of`), `"the outcome of"`},
	{words(`who(?:ever)? (?:asks?|asked|reads|calls|waits|follows|writes|starts|listens)`), `"the caller", "the reader", or another noun`},
	{words(`whoever|whomever|to whom|whom it|nobody's`), `a noun: "the caller", "the owner"`},
	{words(`(?:is|are) (?:what|who|whose)`), `"returns", "reports", "holds", or "is" and a noun`},
	{words(`(?:is|are) how`), `"is the number of", "is the time", "describes"`},
	{words(`says (?:that|whether|who|what|how|which|where|why|when)`), `"reports whether", "returns", "is set if"`},
	{words(`tells (?:whether|who|what|how|which|where|why|when)`), `"reports whether", "returns", "identifies"`},
	{regexp.MustCompile(`(?i)\bfor good(?:[.,;:)]|$)`), `"permanently"`},
	{regexp.MustCompile(`(?i)\bno more(?:[.,;:)]|$)`), `"no longer"`},
	{words(`ones? (?:that|who|whose|which)`), `a noun: "a call that"`},
	{words(`at once`), `"immediately" or "concurrently"`},
	{words(`stands? (?:in|at|on|below|above|beside|alone|there|under)`), `"is"`},
	{words(`deaf to|heeds?|heeded|goes on with`), `"ignores", "obeys", "continues"`},
}

// words matches the alternatives of expr between word boundaries, in any case.
func words(expr string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + expr + `)\b`)
}

// wording returns a finding for each forbidden phrase in text.
func wording(place, text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	var broken []string
	for _, w := range forbiddenWords {
		if m := w.re.FindString(text); m != "" {
			broken = append(broken, fmt.Sprintf("%s: %q: write %s", place, m, w.instead))
		}
	}
	return broken
}

// modelTexts lists the trees whose string literals are read by models: descriptions,
// schemas and errors of tools. config/tools.txt and docs/tools pin them, so their wording
// is not checked here.
var modelTexts = []string{"internal/tools", "internal/lib"}

// brokenWords checks the comments of a file and, outside tests, its texts: string
// literals of more than one word, which are log messages, help and errors.
func brokenWords(s source) []string {
	var broken []string
	for _, group := range s.File.Comments {
		broken = append(broken, wording(s.at(group), group.Text())...)
	}
	if s.Test {
		return broken
	}
	ast.Inspect(s.File, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(lit.Value); err == nil && !forModels(s.Dir) {
			broken = append(broken, wording(s.at(lit), text)...)
		}
		return true
	})
	return append(broken, brokenLogs(s)...)
}

// forModels reports whether the string literals of a directory are texts for models.
func forModels(dir string) bool {
	return slices.ContainsFunc(modelTexts, func(tree string) bool { return under(dir, tree) })
}

// logCalls maps the methods of a [log/slog.Logger] to the place of the message.
var logCalls = map[string]int{
	"Debug": 0, "Info": 0, "Warn": 0, "Error": 0,
	"DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1,
	"LogAttrs": 2,
}

// logger matches the name of a variable or field that holds a logger.
var logger = regexp.MustCompile(`(?i)^log(?:ger)?$`)

// brokenLogs requires that the message of each log line is a constant that names an
// object and its state, so that an operator can search for it: more than one word, and
// the variable parts as fields.
func brokenLogs(s source) []string {
	var broken []string
	ast.Inspect(s.File, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		at, ok := logCalls[sel.Sel.Name]
		if !ok || at >= len(call.Args) {
			return true
		}
		switch message := call.Args[at].(type) {
		case *ast.BasicLit:
			text, err := strconv.Unquote(message.Value)
			if message.Kind == token.STRING && err == nil && len(strings.Fields(text)) < 2 {
				broken = append(broken,
					fmt.Sprintf("%s: log message %q: write an object and its state, such as %q", s.at(message), text, "audit sealing stopped"))
			}
		case *ast.CallExpr, *ast.BinaryExpr:
			if logger.MatchString(lastName(sel.X)) {
				broken = append(broken, fmt.Sprintf("%s: a log message is a constant: put the variable parts into fields", s.at(message)))
			}
		}
		return true
	})
	return broken
}

// lastName returns the last name of an expression such as x.opts.Log, "" if it has none.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// brokenText checks a text that people read: Markdown outside code, or the comments
// of a YAML file. Paragraphs are checked whole, since a phrase may span two lines.
func brokenText(name, text string) []string {
	var broken []string
	var paragraph []string
	first, fenced := 0, false
	flush := func() {
		broken = append(broken, wording(name+":"+strconv.Itoa(first), strings.Join(paragraph, " "))...)
		paragraph = nil
	}
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if filepath.Ext(name) == ".yaml" {
			_, comment, _ := strings.Cut(" "+line, " #")
			trimmed = strings.TrimSpace(comment)
		} else if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			trimmed = ""
		}
		if trimmed == "" || fenced {
			flush()
			continue
		}
		if paragraph == nil {
			first = i + 1
		}
		paragraph = append(paragraph, trimmed)
	}
	flush()
	return broken
}

// texts returns the findings of config/default.yaml, docs/*.md and the pages beside them.
func texts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages in docs: %v", err)
	}
	var broken []string
	files = append(files, filepath.Join(root, "config", "default.yaml"))
	for _, page := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"} {
		files = append(files, filepath.Join(root, page))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		broken = append(broken, brokenText(name, string(text))...)
	}
	return broken
}
