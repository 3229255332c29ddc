package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/ports/netguard/forbidden"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

// takes describes how a tool takes a URL.
type takes struct {
	arguments string // with %s in the place of the URL, as a JSON string
	webOnly   bool   // what is no URL of the web is something else to it, such as a path
	silent    bool   // it works without what is at the URL
}

// urlTools lists the tools that take a URL, with the parameter behind the name if it is not the
// only one. TestEveryToolIsListed compares it with the definitions.
var urlTools = map[string]takes{
	"add_bookmark":        {arguments: `{"url": %s}`, silent: true},
	"batch_add_bookmarks": {arguments: `{"bookmarks": [{"url": %s}], "atomic": false}`, silent: true},
	"download_file":       {arguments: `{"url": %s, "path": "got"}`},
	"fetch_web_page":      {arguments: `{"url": %s}`},
	"http_request":        {arguments: `{"url": %s}`},
	"json_api":            {arguments: `{"url": %s}`},
	"resize_image":        {arguments: `{"image": %s, "width": 10, "height": 10}`, webOnly: true},
	"analyze_image":       {arguments: `{"image": %s}`, webOnly: true},
	"edit_image":          {arguments: `{"image": %s, "prompt": "p"}`, webOnly: true},
	"edit_image mask":     {arguments: `{"image": "` + pixel + `", "mask": %s, "prompt": "p"}`, webOnly: true},
	"image_variation":     {arguments: `{"image": %s}`, webOnly: true},
	"speech_to_text":      {arguments: `{"audio": %s}`, webOnly: true},
	"translate_audio":     {arguments: `{"audio": %s}`, webOnly: true},
}

// pixel is a picture.
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNiAAAABgADNjd8qAAAAABJRU5ErkJggg=="

// elsewhere lists tools whose URLs a worker does not request.
var elsewhere = []string{"browser.open_url"}

// victim counts the connections that arrive at a port of this machine.
type victim struct {
	port    int
	arrived atomic.Int64
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{}
	first, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v.port = first.Addr().(*net.TCPAddr).Port
	listeners := []net.Listener{first}
	if second, err := net.Listen("tcp6", fmt.Sprintf("[::1]:%d", v.port)); err == nil { // where the machine has IPv6
		listeners = append(listeners, second)
	}
	for _, l := range listeners {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := l.Accept()
				if errors.Is(err, net.ErrClosed) {
					return
				}
				if err == nil {
					v.arrived.Add(1)
					_ = conn.Close()
				}
			}
		}()
		t.Cleanup(func() { _ = l.Close(); <-done })
	}
	return v
}

// TestForbidden: no tool that takes a URL, and no redirect, leads to a forbidden address.
func TestForbidden(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	bouncer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(bouncer.Close)
	s := system.Launch(t, system.Plan{Groups: []string{"webFetch", "image", "audio"}, Config: func(c *config.Config) {
		c.AllowHosts, c.Profile = []string{strings.TrimPrefix(bouncer.URL, "http://")}, "auto"
	}})
	// Models' tools look for their account first; this one opens the bouncer, which is open.
	if r := s.HTTP(0).Send(t, "PUT", "/v1/services/openai/default", `{"fields": {"api_key": "k", "base_url": "`+bouncer.URL+`/v1"}}`,
		nil); r.Status >= 300 {
		t.Fatalf("set = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "the worker has the account", func() bool {
		return system.One(t, s.HTTP(0), "default", `{"tool": "analyze_image", "arguments": {"image": "none.png"}}`).ErrorType == "file_not_found"
	})
	for key, how := range urlTools {
		name, _, _ := strings.Cut(key, " ")
		t.Run(key, func(t *testing.T) {
			var calls []string
			var cases []forbidden.Case
			add := func(c forbidden.Case) {
				url, err := json.Marshal(c.URL)
				if err != nil {
					t.Fatal(err)
				}
				calls = append(calls, fmt.Sprintf(`{"tool": %q, "arguments": %s}`, name, fmt.Sprintf(how.arguments, url)))
				cases = append(cases, c)
			}
			for _, c := range forbidden.All(v.port) {
				web := strings.HasPrefix(strings.ToLower(c.URL), "http://") || strings.HasPrefix(strings.ToLower(c.URL), "https://")
				if !web && how.webOnly {
					continue
				}
				add(c)
				if web && c.Kind == tool.PermissionDenied {
					add(forbidden.Case{URL: bouncer.URL + "/?to=" + strings.ReplaceAll(c.URL, "%", "%25"), Kind: c.Kind})
				}
			}
			elements := system.Execute(t, s.HTTP(0), "default",
				`{"wait_ms": 60000, "context": {"user": "ann"}, "calls": [`+strings.Join(calls, ",")+`]}`).Results
			if !how.silent && !slices.ContainsFunc(elements, func(e system.Element) bool { return e.ErrorType == string(tool.PermissionDenied) }) {
				t.Errorf("%s never got as far as an address", key)
			}
			for i, e := range elements {
				switch {
				case how.silent && e.Status == "success":
				case e.Status != "error" || e.ErrorType != string(cases[i].Kind) && e.ErrorType != string(tool.ValidationError):
					t.Errorf("%s with %s: %s, want %s", name, cases[i].URL, e, cases[i].Kind)
				}
			}
		})
	}
	if n := v.arrived.Load(); n != 0 {
		t.Errorf("%d connections arrived at a forbidden address", n)
	}
}

// TestForbiddenByService: a person's own account of a service does not open an internal
// address, an account of the tenant does.
func TestForbiddenByService(t *testing.T) {
	t.Parallel()
	searx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"results": [{"url": "https://a.example/", "title": "A", "content": ""}]}`))
	}))
	t.Cleanup(searx.Close)
	s := system.Launch(t, system.Plan{Groups: []string{"webFetch"}, Config: func(c *config.Config) { c.AllowHosts = nil }})
	set := func(user, service, base string) {
		t.Helper()
		body := fmt.Sprintf(`{"fields": {"base_url": %q}, "user": %q%s}`,
			base, user, map[bool]string{true: `, "type": "http"`}[service == "inside"])
		if r := s.HTTP(0).Send(t, "PUT", "/v1/services/"+service+"/default", body, nil); r.Status >= 300 {
			t.Fatalf("set %s = %d %s", service, r.Status, r.Body)
		}
	}
	search := system.CallAs("ann", `{"tool": "search_web", "arguments": {"query": "q"}}`)
	api := system.CallAs("ann", `{"tool": "json_api", "arguments": {"url": "`+searx.URL+`/x", "service": "inside"}}`)
	for _, base := range []string{searx.URL, "http://169.254.169.254", "http://[::1]:8080", "http://10.0.0.1"} {
		set("ann", "searxng", base)
		system.Eventually(t, "a person's search at "+base+" is refused", func() bool {
			return system.Execute(t, s.HTTP(0), "default", search).Results[0].ErrorType == "permission_denied"
		})
	}
	set("ann", "inside", searx.URL)
	system.Eventually(t, "a person's API inside is refused", func() bool {
		return system.Execute(t, s.HTTP(0), "default", api).Results[0].ErrorType == "permission_denied"
	})
	if r := s.HTTP(0).Send(t, "DELETE", "/v1/services/searxng/default?user=ann", "", nil); r.Status >= 300 {
		t.Fatalf("delete = %d %s", r.Status, r.Body)
	}
	set("", "searxng", searx.URL)
	system.Eventually(t, "the tenant's search is answered", func() bool {
		return system.Execute(t, s.HTTP(0), "default", search).Results[0].Status == "success"
	})
	plain := system.Execute(t, s.HTTP(0), "default",
		system.CallAs("ann", `{"tool": "fetch_web_page", "arguments": {"url": "`+searx.URL+`"}}`)).Results[0]
	if plain.ErrorType != "permission_denied" {
		t.Errorf("the tenant's account opens its address for other tools: %s", plain)
	}
}

// offByDefault are the groups that an operator switches on.
var offByDefault = []string{
	"audio", "cliTools", "codeExecution", "codingAgents", "dataExtraction", "email", "git", "image", "pdf", "shell",
	"translation", "vectorSearch", "weather", "webFetch",
}

// TestEveryToolIsListed: a tool with a parameter for URLs is in the list above. Such a
// parameter has the name of one, or its description does.
func TestEveryToolIsListed(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Groups: offByDefault})
	r := s.HTTP(0).Ask(t, "default", "tools.list", map[string]string{"format": "native"}, "")
	var list struct {
		Tools []struct {
			Name       string
			Parameters struct {
				Properties map[string]struct{ Description string }
			}
		}
	}
	if err := json.Unmarshal(r.Body, &list); err != nil || len(list.Tools) < 100 {
		t.Fatalf("tools.list: %v, %d tools, %.200s", err, len(list.Tools), r.Body)
	}
	for _, def := range list.Tools {
		for param, is := range def.Parameters.Properties {
			name := strings.ToLower(param)
			if !strings.HasSuffix(name, "url") && !strings.HasSuffix(name, "urls") && !strings.HasSuffix(name, "uri") &&
				!strings.Contains(is.Description, "http(s)") {
				continue
			}
			if _, listed := urlTools[def.Name]; !listed && !slices.Contains(elsewhere, def.Name) && def.Name != "validate_url" {
				t.Errorf("%s takes %s: add the tool to the list of this test", def.Name, param)
			}
		}
	}
}
