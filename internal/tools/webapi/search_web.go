package webapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type searchWebArgs struct {
	Query      string `json:"query" min:"1" max:"400" doc:"What to search for."`
	MaxResults int    `json:"maxResults,omitempty" default:"10" doc:"Most results to return, at most 20."`
	Region     string `json:"region,omitempty" max:"10" doc:"Country, or language and country, whose results to prefer, such as DE, de-AT or us-en."`
}

type searchWebResult struct {
	Query       string        `json:"query"`
	Results     []foundResult `json:"results" doc:"Best first."`
	ResultCount int           `json:"resultCount"`
}

type foundResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// searchTime is the time for all search services together.
const searchTime = 30 * time.Second

var _ = tool.Add(Set, tool.Spec[searchWebArgs, *searchWebResult]{
	Name:        "search_web",
	Description: "Search the web with the configured search service; returns title, address and snippet of each result.",
	Tags:        []string{"search", "google", "internet", "web search", "find", "query", "information"},
	Errors:      []tool.Kind{tool.NetworkError, tool.ExecutionError, tool.NotConfigured},
	Example:     `{"query":"history of the astrolabe","maxResults":2}`,
	Risk:        tool.Medium,
	Mutates:     false,
	Idempotent:  true,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Hosts: []string{"*"}},
	Needs:       tool.NeedHTTP | tool.NeedSecrets,
	Timeout:     searchTime,
	Limit:       &tool.Limit{Param: "maxResults", Max: 20, Default: 10},
	Check: func(ctx context.Context, call *tool.Call, args searchWebArgs) error {
		if strings.TrimSpace(args.Query) == "" {
			return tool.Fail(tool.ValidationError, "query is blank; say what to search for")
		}
		if _, err := parseRegion(args.Region); err != nil {
			return err
		}
		_, err := searchers(ctx, call)
		return err
	},
	Run: searchWeb,
})

// searcher is a search service with an account.
type searcher struct {
	provider
	client *outward.Client
}

// searchers returns the configured services in the order of the operator.
func searchers(ctx context.Context, call *tool.Call) ([]searcher, error) {
	order := call.Settings.Search
	if order == nil {
		order = []string{"searxng", "brave", "tavily"}
	}
	var all []searcher
	var possible []outward.Service
	for _, name := range order {
		p, known := providers[name]
		if !known {
			continue
		}
		possible = append(possible, p.service)
		client, err := outward.Find(ctx, call, p.service)
		if err != nil {
			return nil, err
		}
		if client != nil {
			all = append(all, searcher{p, client})
		}
	}
	switch {
	case len(possible) == 0:
		return nil, tool.Fail(tool.NotConfigured,
			"search_web is switched off, because the setting tools.search lists no service; the operator lists one, such as tools.search: [searxng]")
	case len(all) == 0:
		return nil, outward.MissingAll(call, possible...)
	}
	return all, nil
}

// searchWeb asks one service after the other until one answers. Each gets its share of the
// time that is left, so that a silent one does not take that of the others.
func searchWeb(ctx context.Context, call *tool.Call, args searchWebArgs) (*searchWebResult, error) {
	where, err := parseRegion(args.Region)
	if err != nil {
		return nil, err
	}
	all, err := searchers(ctx, call)
	if err != nil {
		return nil, err
	}
	most := min(max(args.MaxResults, 1), 20)
	var failures []failedSearch
	for i, s := range all {
		found, err := s.within(ctx, len(all)-i, func(ctx context.Context) ([]foundResult, error) {
			return s.search(ctx, s.client, search{args.Query, most, where})
		})
		if err == nil {
			outward.MarkUntrusted(call)
			res := &searchWebResult{Query: args.Query, Results: cleaned(found, most)}
			res.ResultCount = len(res.Results)
			return res, nil
		}
		if ctx.Err() != nil && i < len(all)-1 {
			return nil, tool.AsError(ctx.Err())
		}
		failures = append(failures, failedSearch{s.service.Name, tool.AsError(err)})
	}
	return nil, allFailed(failures)
}

// within runs search with a share of the time that is left.
func (s searcher) within(ctx context.Context, parts int, run func(context.Context) ([]foundResult, error)) ([]foundResult, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(parts))
		defer cancel()
	}
	found, err := run(ctx)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, tool.Fail(tool.Timeout, "%s did not answer in time; try again later", s.client.Host()).Because(err)
	}
	return found, err
}

// failedSearch is the failure of one service.
type failedSearch struct {
	name string
	err  *tool.Error
}

// allFailed returns the error of the only service, or one error for all: of their common
// kind, otherwise network_error.
func allFailed(failures []failedSearch) error {
	first := failures[0].err
	if len(failures) == 1 {
		return first
	}
	kind, said, causes := first.Kind, make([]string, len(failures)), make([]error, len(failures))
	for i, f := range failures {
		if f.err.Kind != kind {
			kind = tool.NetworkError
		}
		said[i], causes[i] = f.name+": "+f.err.Msg, f.err
	}
	all := tool.Fail(kind, "No search service answered. %s", strings.Join(said, "; ")).Because(errors.Join(causes...))
	if kind == tool.RateLimited {
		all.Metadata = first.Metadata
	}
	return all
}

// Limits on one result, in characters.
const (
	maxResultTitle = 300
	maxSnippet     = 1000
)

// cleaned returns the results that have a web address, without markup.
func cleaned(found []foundResult, most int) []foundResult {
	results := []foundResult{}
	for _, r := range found {
		u, err := url.Parse(strings.TrimSpace(r.URL))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			continue
		}
		results = append(results, foundResult{
			textcut.Excerpt(plain(r.Title), maxResultTitle), u.String(), textcut.Excerpt(plain(r.Snippet), maxSnippet),
		})
		if len(results) == most {
			break
		}
	}
	return results
}

// Present returns the results as a list.
func (r *searchWebResult) Present(res *tool.Result) {
	var w strings.Builder
	w.WriteString(outward.Untrusted)
	if len(r.Results) == 0 {
		w.WriteString("\n\nNothing was found.")
	}
	for i, found := range r.Results {
		fmt.Fprintf(&w, "\n\n%d. %s\n   %s", i+1, found.Title, found.URL)
		if found.Snippet != "" {
			fmt.Fprintf(&w, "\n   %s", found.Snippet)
		}
	}
	res.Text = w.String()
}
