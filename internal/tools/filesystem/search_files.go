package filesystem

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/tool"
)

const (
	inAll     = "all"
	inNames   = "name"
	inContent = "content"
)

type searchFilesArgs struct {
	Query         string  `json:"query" min:"1" max:"1000" doc:"Text to look for in the files and in their names; for names also a pattern such as *.md."`
	Path          string  `json:"path" default:"." doc:"Directory to search with all below it, or one file, relative to the workspace; the whole workspace by default."`
	FilePattern   string  `json:"filePattern,omitzero" alias:"pattern" max:"1000" doc:"Search only files that match, such as *.go or *.{md,txt}."`
	CaseSensitive bool    `json:"caseSensitive" default:"false"`
	MaxResults    float64 `json:"maxResults,omitzero" alias:"limit" doc:"Most matches to return."`
	In            string  `json:"in" enum:"all,name,content" default:"all" doc:"Where to look; names alone is the fastest."`
	IncludeHidden bool    `json:"includeHidden" default:"false" doc:"Also search what is hidden by a name that begins with a dot."`
}

// match is one line, or a file whose name matches.
type match struct {
	File    string `json:"file" doc:"Path relative to the workspace."`
	Line    int    `json:"line" doc:"Counted from 1; 0 where the name matches."`
	Content string `json:"content" doc:"The line, or the name."`
	Match   string `json:"match" enum:"content,name"`
}

type searchFilesResult struct {
	Query   string  `json:"query"`
	Path    string  `json:"path"`
	Count   int     `json:"count"`
	Total   int     `json:"total" doc:"Matches that were found, counted up to 10000."`
	Results []match `json:"results"`
	hunted
}

const (
	searchDefault = 50
	searchMax     = 100
)

var _ = tool.Add(Set, tool.Spec[searchFilesArgs, *searchFilesResult]{
	Name: "search_files",
	Description: "Find text in the files of the workspace, or files by name, when it is not known which file holds something, " +
		"and return file, line number and line of each match.",
	Tags:       []string{"file search", "find", "grep", "search", "locate", "text", "content"},
	Example:    `{"query":"report","path":"docs"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Limit:      &tool.Limit{Param: "maxResults", Max: searchMax, Default: searchDefault},
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:    30 * time.Second,
	Run:        searchFiles,
})

func searchFiles(ctx context.Context, call *tool.Call, args searchFilesArgs) (*searchFilesResult, error) {
	args.Path = cmp.Or(args.Path, ".")
	if strings.ContainsAny(args.Query, "\r\n") {
		return nil, tool.Fail(tool.ValidationError, "query is looked for line by line; leave the line break out of it.")
	}
	names, err := namedOf(args.Query, args.CaseSensitive)
	if err != nil && args.In == inNames {
		return nil, err
	}
	only, err := globsOf(args.FilePattern, !args.CaseSensitive)
	if err != nil {
		return nil, err
	}
	res := &searchFilesResult{Query: args.Query, Path: args.Path, Results: []match{}}
	limit := min(cmp.Or(max(calc.ToInt(args.MaxResults), 0), searchDefault), searchMax)
	add := func(m match) bool {
		res.Total++
		if len(res.Results) < limit {
			res.Results = append(res.Results, m)
		}
		return res.Total < maxFound
	}
	text := needleOf(args.Query, args.CaseSensitive)
	h := hunt{dir: args.Path, hidden: args.IncludeHidden, only: only}
	h.more = func(ctx context.Context, p string, e tool.Entry) (more bool, err error) {
		more, before := true, res.Total
		if args.In != inNames {
			err = text.holds(ctx, e, func(number int, line string) bool {
				more = add(match{showName(p), number, line, inContent})
				return more
			})
		}
		if args.In != inContent && names != nil && res.Total == before && names.match(below(args.Path, p)) {
			more = add(match{showName(p), 0, showName(e.Name()), inNames})
		}
		return more, err
	}
	res.hunted, err = h.run(ctx, call)
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Results)
	res.Truncated = res.Truncated || res.Count < res.Total
	noteShown(call, res.Count, res.Total, "matches",
		fmt.Sprintf("set maxResults (at most %d), or narrow path, filePattern or query", searchMax))
	return res, nil
}
