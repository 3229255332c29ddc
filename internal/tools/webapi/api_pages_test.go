package webapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestNextLink(t *testing.T) {
	for _, tt := range []struct {
		headers []string
		want    string
	}{
		{[]string{`<https://api.example/x?page=2>; rel="next", <https://api.example/x?page=9>; rel="last"`}, "https://api.example/x?page=2"},
		{[]string{`<a>; rel="prev"`, `<b>; rel=next`}, "b"},
		{[]string{`<a>; title="x, <y>; rel=\"next\""; rel=first,<b>;REL="Prev NEXT"`}, "b"},
		{[]string{`<a,b;c>; rel = "next"`}, "a,b;c"},
		{[]string{`<a>; rel=last; rel=next`}, ""},
		{[]string{`<a>; rel="next`}, "a"},
		{[]string{`<a>, <b>; x; y=; rel="next"`}, "b"},
		{[]string{`<>; rel=next`}, ""},
		{[]string{`a; rel=next`, `<a; rel=next`, ``, `;;;,,,`}, ""},
	} {
		if got := nextLink(tt.headers); got != tt.want {
			t.Errorf("nextLink(%q) = %q, want %q", tt.headers, got, tt.want)
		}
	}
}

// FuzzNextLink: no header takes a step twice, and a target is a part of its header.
func FuzzNextLink(f *testing.F) {
	f.Add(`<https://api.example/x?page=2>; rel="next", <b>; rel=last`)
	f.Add(`<a>; title="\"`)
	f.Fuzz(func(t *testing.T, header string) {
		if target := nextLink([]string{header}); !strings.Contains(header, target) || strings.Contains(target, ">") {
			t.Errorf("nextLink(%q) = %q", header, target)
		}
		if got := nextLink([]string{`<https://n.example/>; rel=next`, header}); got != "https://n.example/" {
			t.Errorf("the first of two headers is not used before %q: %q", header, got)
		}
	})
}

// book serves pages of a list: /items?page=N names the next one, up to last.
func book(last int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page := 1
		_, _ = fmt.Sscanf(r.URL.Query().Get("page"), "%d", &page)
		if page < last {
			w.Header().Set("Link", fmt.Sprintf(`<%s?page=%d>; rel="next"`, r.URL.Path, page+1))
		}
		if r.URL.Path == "/wrapped" {
			answer(200, "application/json", fmt.Sprintf(`{"items":[%d]}`, page))(w, r)
			return
		}
		answer(200, "application/json", fmt.Sprintf(`[%d,"%d"]`, page, page))(w, r)
	}
}

// TestPages: lists of pages are joined, up to the number that was asked for, and the model
// is told what is missing.
func TestPages(t *testing.T) {
	url, call := serve(t, book(3))
	call.Secrets = accounts{}
	for _, tt := range []struct {
		args, want string
		note       string
	}{
		{`"url":"` + url + `/items"`, `{"status":200,"data":[1,"1"]}`, "set maxPages"},
		{`"url":"` + url + `/items","maxPages":3`, `{"status":200,"data":[1,"1",2,"2",3,"3"],"pages":3}`, ""},
		{`"url":"` + url + `/items","maxPages":9`, `{"status":200,"data":[1,"1",2,"2",3,"3"],"pages":3}`, ""},
		{`"url":"` + url + `/items","maxPages":2`, `{"status":200,"data":[1,"1",2,"2"],"pages":2,"truncated":true}`, "page=3"},
		{`"url":"` + url + `/wrapped","maxPages":9`, `{"status":200,"data":{"items":[1]}}`, "use select"},
		{`"url":"` + url + `/wrapped","maxPages":9,"select":"$.items[*]"`, `{"status":200,"data":[1,2,3],"pages":3}`, ""},
	} {
		res, err := playAPI(t, call, "{"+tt.args+"}")
		if err != nil {
			t.Errorf("%s: %v", tt.args, err)
			continue
		}
		var got, want any
		if err := json.Unmarshal(res.Value, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || !strings.Contains(strings.Join(res.Notes, "\n"), tt.note) ||
			(len(res.Notes) == 1) != (tt.note == "") {
			t.Errorf("%s: %s with %q, want %s and a note with %q", tt.args, res.Value, res.Notes, tt.want, tt.note)
		}
	}
}

// TestPagesThatFail: what was read before a page that fails is the result.
func TestPagesThatFail(t *testing.T) {
	for name, tt := range map[string]struct {
		second http.HandlerFunc
		note   string
		want   string
	}{
		"too many requests": {answer(429, "application/json", `{}`), "too many requests", `[1]`},
		"an error":          {answer(404, "application/json", `{}`), "status 404", `[1]`},
		"no list":           {answer(200, "application/json", `{}`), "no list", `[1]`},
		"HTML":              {answer(200, "text/html", `<p>`), "no list", `[1]`},
		"too long":          {answer(200, "application/json", `["`+strings.Repeat("x", maxAPI)+`"]`), "longer than 5 MB", `[1]`},
	} {
		url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "" {
				w.Header().Set("Link", `<?page=2>; rel="next"`)
				answer(200, "application/json", `[1]`)(w, r)
				return
			}
			tt.second(w, r)
		})
		call.Secrets = accounts{}
		res, err := playAPI(t, call, `{"url":"`+url+`","maxPages":5}`)
		var got struct {
			Data      json.RawMessage
			Truncated bool
		}
		if err != nil || json.Unmarshal(res.Value, &got) != nil || string(got.Data) != tt.want || !got.Truncated || !res.Truncated ||
			!strings.Contains(strings.Join(res.Notes, "\n"), tt.note) {
			t.Errorf("%s: %s with %q, %v; want %s and a note with %q", name, res.Value, res.Notes, err, tt.want, tt.note)
		}
	}
}

// TestPagesInACircle: pages that lead back to an earlier one end.
func TestPagesInACircle(t *testing.T) {
	var requests atomic.Int64
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Link", `<?page=`+map[string]string{"": "2", "page=2": "3", "page=3": "2"}[r.URL.RawQuery]+`>; rel="next"`)
		answer(200, "application/json", `[1]`)(w, r)
	})
	call.Secrets = accounts{}
	res, err := playAPI(t, call, `{"url":"`+url+`","maxPages":50}`)
	if err != nil || string(res.Value) != `{"status":200,"data":[1,1,1],"pages":3}` || requests.Load() != 3 {
		t.Errorf("%s after %d requests, %v; want three pages", res.Value, requests.Load(), err)
	}
}

// TestPagesElsewhere: credentials are not sent to the server that a page names as the next.
func TestPagesElsewhere(t *testing.T) {
	var arrived atomic.Int64
	elsewhere, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		if len(r.Header.Values("Authorization"))+len(r.Header.Values("X-Key")) > 0 {
			t.Errorf("%s arrived with %v", r.URL, r.Header)
		}
		answer(200, "application/json", `[2]`)(w, r)
	})
	next := elsewhere + "/v1/items"
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<`+next+`>; rel="next"`)
		answer(200, "application/json", `[1]`)(w, r)
	})
	call.HTTP = open(t, url, elsewhere)
	call.Secrets = accounts{"api": entry("base_url", url+"/v1", "api_key", "key-1234")}
	for _, tt := range []struct {
		more, next string
		note       string
		follows    bool
	}{
		{``, next, "", true},
		{`,"bearerToken":"t"`, next, "on another server", false},
		{`,"headers":{"X-Key":"k"}`, next, "on another server", false},
		{`,"service":"api"`, next, "not below the base_url", false},
		{`,"service":"api"`, "/v2/items?key=key-1234", "…, is not below the base_url", false},
		{``, "ftp://files.internal/", "cannot be requested", false},
		{``, "http://169.254.169.254/", "blocked internal address", false},
	} {
		arrived.Store(0)
		next = tt.next
		res, err := playAPI(t, call, `{"url":"`+url+`/v1/items","maxPages":2`+tt.more+`}`)
		if err != nil || (arrived.Load() == 1) != tt.follows || !strings.Contains(strings.Join(res.Notes, "\n"), tt.note) ||
			strings.Contains(strings.Join(res.Notes, ""), "key-1234") {
			t.Errorf("%s to %s: %s with %q, %v; want it followed: %v, with a note %q",
				tt.more, tt.next, res.Value, res.Notes, err, tt.follows, tt.note)
		}
	}
}

// TestSelectionCosts: a path that would visit too many values is refused before it runs.
func TestSelectionCosts(t *testing.T) {
	wide := "[" + strings.TrimSuffix(strings.Repeat(`{"a":{"b":[1,2,3]}},`, 10_000), ",") + "]"
	for path, ok := range map[string]bool{
		"$..b":                 true,
		"$[*].a.b[?@ > 2]":     true,
		"$..[?@.b]":            true,
		"$[?$..a]":             false,
		"$..[?@..b[?@..c]]..d": false,
	} {
		s, err := newSelection(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.from(json.RawMessage(wide))
		if (err == nil) != ok {
			t.Errorf("%s: %v, want it to run: %v", path, err, ok)
		}
	}
	if _, err := tooltest.Play(t.Context(), named(t, "json_api"), tool.Call{}, `{"url":"http://x"}`); err == nil {
		t.Error("the tool runs without its ports")
	}
}
