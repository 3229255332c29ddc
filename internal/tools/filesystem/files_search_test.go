package filesystem

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestFilesSearch(t *testing.T) {
	files, dir := diskAt(t, map[string]string{
		"Report.pdf": "%PDF", "docs/report.md": "the TEXT", "docs/reports/x": "text", "docs/other.md": "text\x00text", ".report": "",
	})
	age(t, dir)
	one := func(path, kind string, size int) string {
		return fmt.Sprintf(`{"name":%q,"path":%q,"type":%q,"size":%d,"modified":%s}`, filepath.Base(path), path, kind, size, aged)
	}
	result := func(query, path string, rows ...string) string {
		return fmt.Sprintf(`{"query":%q,"path":%q,"count":%d,"total":%d,"results":[%s],"truncated":false}`,
			query, path, len(rows), len(rows), strings.Join(rows, ","))
	}
	pdf, md, reports := one("Report.pdf", "file", 4), one("docs/report.md", "file", 8), one("docs/reports", "directory", 0)
	tooltest.Run(t, Set, "files.search", tool.Call{Files: files}, []tooltest.Case{
		{Name: "part of a name", Args: `{"query":"report"}`, Want: result("report", ".", pdf, md, reports)},
		{Name: "case", Args: `{"query":"report","caseSensitive":true,"path":""}`, Want: result("report", ".", md, reports)},
		{Name: "pattern", Args: `{"query":"*.md","path":"docs"}`, Want: result("*.md", "docs", one("docs/other.md", "file", 9), md)},
		{Name: "content", Args: `{"query":"*","content":"text"}`, Want: result("*", ".", md, one("docs/reports/x", "file", 4))},
		{
			Name: "content in its case",
			Args: `{"query":"*","content":"text","caseSensitive":true}`,
			Want: result("*", ".", one("docs/reports/x", "file", 4)),
		},
		{Name: "hidden", Args: `{"query":".rep","includeHidden":true}`, Want: result(".rep", ".", one(".report", "file", 0))},
		{
			Name:  "limit",
			Args:  `{"query":"report","limit":1}`,
			Want:  `{"query":"report","path":".","count":1,"total":3,"results":[` + pdf + `],"truncated":true}`,
			Check: noted("showing 1 of 3 matches; set limit (at most 100), or narrow path or query."),
		},
		{Name: "nothing", Args: `{"query":"zzz"}`, Want: result("zzz", ".")},
		{Name: "bad pattern", Args: `{"query":"[z-a]"}`, Fails: tool.ValidationError, Message: "Invalid pattern"},
		{Name: "long pattern", Args: `{"query":"` + strings.Repeat("*", 257) + `"}`, Fails: tool.ValidationError, Message: "longer than 256"},
		{Name: "no query", Args: `{}`, Fails: tool.ValidationError},
		{Name: "missing", Args: `{"query":"a","path":"no"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"query":"a","path":"../.."}`, Fails: tool.PathNotAllowed},
	})
	wantDead(t, "files.search", `{"query":"a"}`)
}
