package filesystem

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type filesSearchArgs struct {
	Query         string `json:"query" min:"1" max:"1000" doc:"Part of the name, or a pattern such as *.pdf or **/drafts/*.md."`
	Path          string `json:"path" default:"." doc:"Directory to search with all below it, relative to the workspace; the whole workspace by default."`
	Content       string `json:"content,omitzero" max:"1000" doc:"Find only text files that hold this text."`
	CaseSensitive bool   `json:"caseSensitive" default:"false"`
	IncludeHidden bool   `json:"includeHidden" default:"false" doc:"Also search what is hidden by a name that begins with a dot."`
	Limit         int    `json:"limit,omitzero" alias:"maxResults" doc:"Most files to return."`
}

type filesSearchResult struct {
	Query   string `json:"query"`
	Path    string `json:"path"`
	Count   int    `json:"count"`
	Total   int    `json:"total" doc:"Matches that were found, counted up to 10000."`
	Results []item `json:"results"`
	hunted
}

var _ = tool.Add(Set, tool.Spec[filesSearchArgs, *filesSearchResult]{
	Name: "files.search",
	Description: "Find files and directories of the workspace by name when their place is not known, and return path, type, size and time " +
		"of change of each.",
	Tags:       []string{"files", "search", "find", "locate", "name", "glob"},
	Example:    `{"query":"*.md"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Limit:      &tool.Limit{Param: "limit", Max: searchMax, Default: searchDefault},
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:    30 * time.Second,
	Run:        filesSearch,
})

func filesSearch(ctx context.Context, call *tool.Call, args filesSearchArgs) (*filesSearchResult, error) {
	args.Path = cmp.Or(args.Path, ".")
	names, err := namedOf(args.Query, args.CaseSensitive)
	if err != nil {
		return nil, err
	}
	res := &filesSearchResult{Query: args.Query, Path: args.Path, Results: []item{}}
	limit := min(cmp.Or(max(args.Limit, 0), searchDefault), searchMax)
	text := needleOf(args.Content, args.CaseSensitive)
	h := hunt{dir: args.Path, hidden: args.IncludeHidden, folders: args.Content == ""}
	h.more = func(ctx context.Context, p string, e tool.Entry) (bool, error) {
		if !names.match(below(args.Path, p)) {
			return true, nil
		}
		if args.Content != "" {
			held := false
			err := text.holds(ctx, e, func(int, string) bool { held = true; return false })
			if err != nil || !held {
				return true, err
			}
		}
		info, err := e.Info()
		if err != nil {
			return true, err
		}
		if res.Total++; res.Total <= limit {
			res.Results = append(res.Results, itemOf(p, info))
		}
		return res.Total < maxFound, nil
	}
	res.hunted, err = h.run(ctx, call)
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Results)
	res.Truncated = res.Truncated || res.Count < res.Total
	noteShown(call, res.Count, res.Total, "matches", fmt.Sprintf("set limit (at most %d), or narrow path or query", searchMax))
	return res, nil
}
