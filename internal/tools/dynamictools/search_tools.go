package dynamictools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	usualFound = 20  // tools per page
	mostFound  = 100 // of the matching tools
	mostListed = 1000
	mostNear   = 5 // names
)

type searchArgs struct {
	Query         string   `json:"query" doc:"What you want to do, in a few words such as 'send email'; 'all' lists every tool." max:"500"`
	Category      string   `json:"category,omitempty" doc:"Only tools of this category, such as 'Email'."`
	IncludeParams *bool    `json:"include_params,omitempty" doc:"Whether to return the parameters of each tool too, which saves asking for help; true when left out, but false for 'all'."`
	Limit         *float64 `json:"limit,omitempty" doc:"How many tools to return, 20 by default and at most 100; 'all' returns every one, or as many as told."`
	Offset        int      `json:"offset,omitempty" doc:"How many to skip, for the next page." min:"0"`
}

type foundTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Category    string          `json:"category"`
	Parameters  json.RawMessage `json:"parameters,omitempty" doc:"JSON Schema of the arguments."`
}

type searchResult struct {
	Message   string      `json:"message"`
	Query     string      `json:"query"`
	Tools     []foundTool `json:"tools"`
	Total     int         `json:"total"`
	Count     int         `json:"count"`
	Offset    int         `json:"offset"`
	Truncated bool        `json:"truncated"`
	Near      bool        `json:"near" doc:"No tool matched every word: these are the nearest."`
	NearNames []string    `json:"near_names,omitempty" doc:"Where no tool matches: names of tools that are spelled like the query."`
}

var _ = tool.Add(Set, tool.Spec[searchArgs, searchResult]{
	Name: "search_tools",
	Description: "Find tools by what they do, best match first; returns names, descriptions and parameters, so that use_tool can call " +
		"one at once.",
	Tags:       []string{"find tool", "discover", "search", "which tool", "available tools"},
	Errors:     []tool.Kind{},
	Example:    `{"query":"rename files","include_params":false,"limit":3}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Needs:      tool.NeedCatalogue,
	Timeout:    10 * time.Second,
	Run:        searchTools,
})

func searchTools(ctx context.Context, call *tool.Call, args searchArgs) (searchResult, error) {
	query := strings.TrimSpace(args.Query)
	all := query == "" || query == "*" || strings.EqualFold(query, "all")
	params := !all
	if args.IncludeParams != nil {
		params = *args.IncludeParams
	}
	q, most := tool.Search{Query: query, Category: args.Category, Offset: args.Offset, Limit: usualFound}, mostFound
	if all {
		q.Query, q.Limit, most = "", mostListed, mostListed
	}
	if args.Limit != nil {
		q.Limit = int(max(1, min(*args.Limit, float64(most))))
	}
	found, err := call.Catalogue.Search(ctx, q)
	if err != nil {
		return searchResult{}, err
	}
	res := searchResult{
		Query: args.Query, Tools: []foundTool{}, Total: found.Total, Count: len(found.Tools), Offset: args.Offset,
		Truncated: args.Offset+len(found.Tools) < found.Total, Near: found.Near,
	}
	for _, def := range found.Tools {
		t := foundTool{Name: def.Name, Description: def.Description, Category: def.Category}
		if params {
			t.Parameters = def.Parameters
		}
		res.Tools = append(res.Tools, t)
	}
	if res.Total == 0 && !all && args.Category == "" {
		res.NearNames = call.Catalogue.Near(query, mostNear)
	}
	res.Message = res.said(args.Category)
	if res.Total > 0 || args.Category == "" {
		return res, nil
	}
	categories, err := categoriesOf(ctx, call.Catalogue)
	if err != nil {
		return searchResult{}, err
	}
	if !slices.ContainsFunc(categories, func(name string) bool { return strings.EqualFold(name, args.Category) }) {
		res.Message = fmt.Sprintf("There is no category '%s'; give one of %s, or none.", args.Category, strings.Join(categories, ", "))
	}
	return res, nil
}

// categoriesOf returns the sorted categories of the tools that can be found.
func categoriesOf(ctx context.Context, catalogue tool.Catalogue) ([]string, error) {
	found, err := catalogue.Search(ctx, tool.Search{Limit: mostListed})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, def := range found.Tools {
		if def.Category != "" {
			names[def.Category] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// said returns the notes that precede the list.
func (r *searchResult) said(category string) string {
	within := ""
	if category != "" {
		within = fmt.Sprintf(" in category '%s'", category)
	}
	switch {
	case r.Total == 0 && len(r.NearNames) > 0:
		return fmt.Sprintf("No tool matches '%s'%s; names like it are %s.", r.Query, within, strings.Join(r.NearNames, ", "))
	case r.Total == 0:
		return fmt.Sprintf("No tool matches '%s'%s; try other words, or 'all' for every tool.", r.Query, within)
	case r.Count == 0:
		return fmt.Sprintf("There are %d tools%s, none after the first %d.", r.Total, within, r.Offset)
	case r.Near && r.Count == 1:
		return fmt.Sprintf("No tool matches every word of '%s'%s; this one is the nearest.", r.Query, within)
	case r.Near:
		return fmt.Sprintf("No tool matches every word of '%s'%s; these are the nearest.", r.Query, within)
	case r.Truncated:
		return fmt.Sprintf("%d of %d tools%s; offset %d continues.", r.Count, r.Total, within, r.Offset+r.Count)
	}
	return fmt.Sprintf("%s%s.", counted(r.Count, "tool"), within)
}
