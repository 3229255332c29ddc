package webapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// The servers below answer as the providers' published documents show: SearXNG's search
// API (docs.searxng.org/dev/search_api.html), Brave's Web Search (api-dashboard.search.brave.com)
// and Tavily's search endpoint (docs.tavily.com/documentation/api-reference/endpoint/search).

// playSearXNG answers as SearXNG does, if the request is one of its API.
func playSearXNG(t *testing.T, language string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.Method != http.MethodGet || r.URL.Path != "/search" || q.Get("format") != "json" || q.Get("language") != language {
			t.Errorf("SearXNG was asked with %s %s", r.Method, r.URL)
		}
		answer(200, "application/json", `{"query": `+quoted(q.Get("q"))+`, "number_of_results": 0, "results": [
			{"url": "https://a.example/", "title": "A &amp; B", "content": "Contains <b>bold</b> and <i>italic</i>", "engine": "x", "score": 1.0, "category": "general"},
			{"url": "javascript:alert(1)", "title": "no", "content": ""},
			{"url": "http://b.example/", "title": "B", "content": ""}],
			"answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": []}`)(w, r)
	}
}

// playBrave answers as Brave Search does.
func playBrave(t *testing.T, country, language string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.Method != http.MethodGet || r.URL.Path != "/res/v1/web/search" || r.Header.Get("X-Subscription-Token") != "brave-key" ||
			q.Get("count") != "10" ||
			q.Get("country") != country || q.Get("search_lang") != language || r.Header.Get("Authorization") != "" {
			t.Errorf("Brave was asked with %s %s, %v", r.Method, r.URL, r.Header)
		}
		answer(200, "application/json",
			`{"type": "search", "query": {"original": "q", "more_results_available": true}, "mixed": {"type": "mixed"},
			"web": {"type": "search", "results": [{"title": "C", "url": "https://c.example/", "is_source_local": false,
			"description": "A <strong>match</strong> &#x27;here&#x27;", "profile": {"name": "C"}, "language": "en", "family_friendly": true}], "family_friendly": true}}`)(w, r)
	}
}

// playTavily answers as Tavily does.
func playTavily(t *testing.T, country string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query      string
			MaxResults int `json:"max_results"`
			Country    string
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPost || r.URL.Path != "/search" ||
			r.Header.Get("Authorization") != "Bearer tvly-key" || body.Query == "" || body.MaxResults != 10 || body.Country != country {
			t.Errorf("Tavily was asked with %s %s, %+v, %v", r.Method, r.URL, body, err)
		}
		answer(200, "application/json", `{"query": "q", "answer": null, "images": [], "results": [{"title": "D", "url": "https://d.example/",
			"content": "A part of the page.", "score": 0.98, "raw_content": null}], "response_time": "1.67", "request_id": "r"}`)(w, r)
	}
}

func quoted(s string) string { text, _ := json.Marshal(s); return string(text) }

// searchCall returns a call with these services, each at a server of its own.
func searchCall(t *testing.T, handlers map[string]http.HandlerFunc) tool.Call {
	t.Helper()
	keys := map[string]string{"brave": "brave-key", "tavily": "tvly-key"}
	services := accounts{}
	var urls []string
	for name, handler := range handlers {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		urls = append(urls, server.URL)
		services[name] = entry("base_url", server.URL, "api_key", keys[name])
	}
	return tool.Call{HTTP: open(t, urls...), Secrets: services}
}

func TestSearchWeb(t *testing.T) {
	const a = `{"title":"A & B","url":"https://a.example/","snippet":"Contains bold and italic"}`
	for _, tt := range []struct {
		provider string
		handler  http.HandlerFunc
		args     string
		want     string
	}{
		{
			"searxng", playSearXNG(t, ""), `{"query":"two words"}`,
			`{"query":"two words","results":[` + a + `,{"title":"B","url":"http://b.example/","snippet":""}],"resultCount":2}`,
		},
		{
			"searxng", playSearXNG(t, "de-AT"), `{"query":"q","region":"de-AT","maxResults":1}`,
			`{"query":"q","results":[` + a + `],"resultCount":1}`,
		},
		{"searxng", playSearXNG(t, "ja-JP"), `{"query":"q","region":"jp","maxResults":1}`, `{"query":"q","results":[` + a + `],"resultCount":1}`},
		{
			"searxng", answer(200, "application/json", `{"query":"test","results":[]}`), `{"query":"test"}`,
			`{"query":"test","results":[],"resultCount":0}`,
		},
		{
			"brave", playBrave(t, "", ""), `{"query":"q"}`,
			`{"query":"q","results":[{"title":"C","url":"https://c.example/","snippet":"A match 'here'"}],"resultCount":1}`,
		},
		{
			"brave", playBrave(t, "US", "en"), `{"query":"q","region":"us-en"}`,
			`{"query":"q","results":[{"title":"C","url":"https://c.example/","snippet":"A match 'here'"}],"resultCount":1}`,
		},
		{
			"brave", answer(200, "application/json", `{"type":"search","query":{"original":"q"}}`), `{"query":"q"}`,
			`{"query":"q","results":[],"resultCount":0}`,
		},
		{
			"tavily", playTavily(t, ""), `{"query":"q"}`,
			`{"query":"q","results":[{"title":"D","url":"https://d.example/","snippet":"A part of the page."}],"resultCount":1}`,
		},
		{
			"tavily", playTavily(t, "united states"), `{"query":"q","region":"en-US"}`,
			`{"query":"q","results":[{"title":"D","url":"https://d.example/","snippet":"A part of the page."}],"resultCount":1}`,
		},
	} {
		tooltest.Run(t, Set, "search_web", searchCall(t, map[string]http.HandlerFunc{tt.provider: tt.handler}), []tooltest.Case{
			{Name: tt.provider + " " + tt.args, Args: tt.args, Want: tt.want},
		})
	}
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprintf(`{"url":"https://e.example/%d","title":"%d","content":"x"}`, i, i)
	}
	call := searchCall(t, map[string]http.HandlerFunc{"searxng": answer(200, "application/json", `{"results":[`+strings.Join(many, ",")+`]}`)})
	tooltest.Run(t, Set, "search_web", call, []tooltest.Case{
		{Name: "ten", Args: `{"query":"q"}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"resultCount":10}`) ||
				!strings.HasPrefix(res.Text, outward.Untrusted+"\n\n1. 0\n   https://e.example/0\n   x\n\n2. 1") ||
				strings.Join(res.Notes, "") != outward.Untrusted {
				t.Errorf("result %s, text %q, notes %q", res.Value, res.Text, res.Notes)
			}
		}},
		{Name: "at most twenty", Args: `{"query":"q","maxResults":100}`, Check: func(t *testing.T, res tool.Result) {
			if !strings.Contains(string(res.Value), `"resultCount":20}`) {
				t.Errorf("result %s", res.Value)
			}
		}},
		{Name: "no query", Args: `{}`, Fails: tool.ValidationError, Message: "query"},
		{Name: "blank query", Args: `{"query":"  "}`, Fails: tool.ValidationError, Message: "blank"},
		{Name: "no region", Args: `{"query":"q","region":"nowhere"}`, Fails: tool.ValidationError, Message: "region"},
	})
}

// TestSearchWebNotConfigured: without a service the call names the commands that set one.
func TestSearchWebNotConfigured(t *testing.T) {
	call := searchCall(t, nil)
	tooltest.Run(t, Set, "search_web", call, []tooltest.Case{
		{
			Name:    "none",
			Args:    `{"query":"q"}`,
			Fails:   tool.NotConfigured,
			Message: "helve config set searxng base_url=URL, or helve config set brave --stdin api_key, or",
		},
	})
	call.Settings.Search = []string{"tavily"}
	tooltest.Run(t, Set, "search_web", call, []tooltest.Case{
		{
			Name:    "the only one of the operator",
			Args:    `{"query":"q"}`,
			Fails:   tool.NotConfigured,
			Message: "helve config set tavily --stdin api_key",
		},
	})
	call.Settings.Search = []string{}
	tooltest.Run(t, Set, "search_web", call, []tooltest.Case{
		{Name: "switched off", Args: `{"query":"q"}`, Fails: tool.NotConfigured, Message: "tools.search"},
	})
	refuses := searchCall(t, map[string]http.HandlerFunc{
		"searxng": answer(403, "text/html", "Forbidden"), "brave": answer(401, "application/json", `{}`),
	})
	refuses.Settings.Search = []string{"searxng"}
	tooltest.Run(t, Set, "search_web", refuses, []tooltest.Case{
		{Name: "no JSON", Args: `{"query":"q"}`, Fails: tool.NotConfigured, Message: "search.formats"},
	})
	refuses.Settings.Search = []string{"brave"}
	tooltest.Run(t, Set, "search_web", refuses, []tooltest.Case{
		{Name: "a wrong key", Args: `{"query":"q"}`, Fails: tool.NotConfigured, Message: "helve config set brave --stdin api_key"},
	})
}

// TestSearchWebFallsOver: the services are asked in the order of the operator until one
// answers, and a silent service leaves time for the next.
func TestSearchWebFallsOver(t *testing.T) {
	for name, broken := range map[string]http.HandlerFunc{
		"429": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "9")
			answer(429, "", "")(w, r)
		},
		"500":            answer(500, "text/html", "<h1>no</h1>"),
		"401":            answer(401, "application/json", `{}`),
		"HTML with 200":  answer(200, "text/html", "<h1>no</h1>"),
		"JSON of others": answer(200, "application/json", `{"hits":[]}`),
		"a list":         answer(200, "application/json", `[]`),
		"half an answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte(`{"re`))
		},
		"a closed socket": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"silence":         func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			var tried atomic.Int64
			call := searchCall(t, map[string]http.HandlerFunc{
				"searxng": playSearXNG(t, ""),
				"brave":   func(w http.ResponseWriter, r *http.Request) { tried.Add(1); broken(w, r) },
				"tavily":  playTavily(t, ""),
			})
			call.Settings.Search = []string{"brave", "tavily", "searxng"}
			ctx := t.Context()
			if name == "silence" {
				var cancel func()
				ctx, cancel = context.WithTimeout(ctx, 6*time.Second)
				defer cancel()
			}
			res, err := tooltest.Play(ctx, named(t, "search_web"), call, `{"query":"q"}`)
			if err != nil || !strings.Contains(string(res.Value), "d.example") || tried.Load() != 1 {
				t.Errorf("ended with %s, %v after %d requests to the first; want the answer of the second", res.Value, err, tried.Load())
			}
		})
	}
	call := searchCall(t, map[string]http.HandlerFunc{
		"searxng": answer(500, "", ""), "brave": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "9")
			answer(429, "", "")(w, r)
		},
	})
	tooltest.Run(t, Set, "search_web", call, []tooltest.Case{
		{Name: "all fail", Args: `{"query":"q"}`, Fails: tool.NetworkError, Message: "searxng: "},
	})
	call.Settings.Search = []string{"brave"}
	_, err := tooltest.Play(t.Context(), named(t, "search_web"), call, `{"query":"q"}`)
	if e := tool.AsError(err); e == nil || e.Kind != tool.RateLimited || e.Metadata["retryAfter"] != 9 ||
		!strings.Contains(e.Msg, "in 9 seconds") {
		t.Errorf("too many requests to the only one: %v", err)
	}
}

func TestRegion(t *testing.T) {
	for text, want := range map[string]region{
		"": {}, "de": {"DE", ""}, "DE": {"DE", ""}, "de-AT": {"AT", "de"}, "de_AT": {"AT", "de"}, "at-de": {"AT", "de"}, "be-fr": {"BE", "fr"},
		"us-en": {"US", "en"}, "wt-wt": {}, "xx": {}, "419": {}, "de-de-de": {},
	} {
		got, err := parseRegion(text)
		if got != want || (err != nil) != (text != "" && want == region{}) {
			t.Errorf("parseRegion(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}
