package webapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// search is one search.
type search struct {
	query string
	most  int
	where region
}

// provider is a service that searches the web.
type provider struct {
	service outward.Service
	search  func(ctx context.Context, c *outward.Client, s search) ([]foundResult, error)
}

// providers holds the services by their names in the config center.
var providers = map[string]provider{
	"searxng": {outward.Service{Name: "searxng", Use: "to search the web", Set: "base_url=URL"}, searchSearXNG},
	"brave": {outward.Service{
		Name: "brave", Base: "https://api.search.brave.com", Use: "to search the web", Set: "--stdin api_key",
		Sign: func(req *http.Request, data map[string]string) {
			req.Header.Set("X-Subscription-Token", strings.TrimSpace(data["api_key"]))
		},
	}, searchBrave},
	"tavily": {
		outward.Service{Name: "tavily", Base: "https://api.tavily.com", Use: "to search the web", Set: "--stdin api_key"}, searchTavily,
	},
}

// searchSearXNG asks a SearXNG server (docs.searxng.org, Search API). It answers 403 where
// its settings do not list the format json.
func searchSearXNG(ctx context.Context, c *outward.Client, s search) ([]foundResult, error) {
	query := url.Values{"q": {s.query}, "format": {"json"}}
	if tag := s.where.tag(); tag != "" {
		query.Set("language", tag)
	}
	var answer struct {
		Results *[]struct {
			URL     string `json:"url"`
			Title   string `json:"title"`
			Content string `json:"content"`
		} `json:"results"`
	}
	err := c.JSON(ctx, outward.Request{Path: "search", Query: query}, &answer)
	switch e := tool.AsError(err); {
	case e != nil && e.Kind == tool.NotConfigured:
		return nil, tool.Fail(tool.NotConfigured,
			"The SearXNG server at %s refuses searches as JSON: its settings must list json under search.formats. For another server: "+
				"helve config set searxng base_url=URL",
			c.Host()).Because(err)
	case err != nil:
		return nil, err
	case answer.Results == nil:
		return nil, c.Senseless("it has no results")
	}
	found := make([]foundResult, 0, len(*answer.Results))
	for _, r := range *answer.Results {
		found = append(found, foundResult{r.Title, r.URL, r.Content})
	}
	return found, nil
}

// searchBrave asks Brave Search (api-dashboard.search.brave.com, Web Search). An answer
// without web results leaves web out.
func searchBrave(ctx context.Context, c *outward.Client, s search) ([]foundResult, error) {
	query := url.Values{"q": {s.query}, "count": {strconv.Itoa(s.most)}}
	if s.where.country != "" {
		query.Set("country", s.where.country)
	}
	if s.where.language != "" {
		query.Set("search_lang", s.where.language)
	}
	var answer struct {
		Type string `json:"type"`
		Web  struct {
			Results []struct {
				URL         string `json:"url"`
				Title       string `json:"title"`
				Description string `json:"description"`
			} `json:"results"`
		} `json:"web"`
	}
	if err := c.JSON(ctx, outward.Request{Path: "res/v1/web/search", Query: query}, &answer); err != nil {
		return nil, err
	}
	if answer.Type != "search" && answer.Web.Results == nil {
		return nil, c.Senseless("it is no search")
	}
	found := make([]foundResult, 0, len(answer.Web.Results))
	for _, r := range answer.Web.Results {
		found = append(found, foundResult{r.Title, r.URL, r.Description})
	}
	return found, nil
}

// searchTavily asks Tavily (docs.tavily.com, POST /search), which takes countries by their
// English names.
func searchTavily(ctx context.Context, c *outward.Client, s search) ([]foundResult, error) {
	body := map[string]any{"query": s.query, "max_results": s.most, "topic": "general", "search_depth": "basic"}
	if name := s.where.name(); name != "" {
		body["country"] = name
	}
	var answer struct {
		Results *[]struct {
			URL     string `json:"url"`
			Title   string `json:"title"`
			Content string `json:"content"`
		} `json:"results"`
	}
	if err := c.JSON(ctx, outward.Request{Method: http.MethodPost, Path: "search", JSON: body}, &answer); err != nil {
		return nil, err
	}
	if answer.Results == nil {
		return nil, c.Senseless("it has no results")
	}
	found := make([]foundResult, 0, len(*answer.Results))
	for _, r := range *answer.Results {
		found = append(found, foundResult{r.Title, r.URL, r.Content})
	}
	return found, nil
}
