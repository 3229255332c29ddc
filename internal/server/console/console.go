package console

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:generate npm --prefix ../../../console ci
//go:generate npm --prefix ../../../console run build

//go:embed all:dist
var dist embed.FS

// document is the file that each page of the application is.
const document = "/index.html"

// Console serves the files of the application.
type Console struct{ files map[string]*file }

// New returns the console that is embedded in the program.
func New() (*Console, error) {
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	return open(root)
}

func open(root fs.FS) (*Console, error) {
	c := &Console{files: map[string]*file{}}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		kind, ok := kinds[path.Ext(name)]
		if !ok {
			return fmt.Errorf("%s: no media type is known for the file", name)
		}
		c.files["/"+name] = newFile(body, kind, strings.HasPrefix(name, "assets/"))
		return nil
	})
	if err == nil && c.files[document] == nil {
		err = fmt.Errorf("%s is missing", document)
	}
	return c, err
}

// Before returns a handler that serves the requests for the console, and hands all others
// to next. A browser that opens an address which next does not have gets the document, with
// the status 404: it shows that there is no such page, and the way to those that there are.
func (c *Console) Before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := c.find(r.URL.Path)
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			next.ServeHTTP(w, r)
		case f != nil:
			f.serve(w, r, http.StatusOK)
		case opens(r):
			m := &missing{ResponseWriter: w, header: w.Header().Clone()}
			if next.ServeHTTP(m, r); m.missing {
				c.files[document].serve(w, r, http.StatusNotFound)
			}
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// find returns the file at a path, nil if the console has none there.
func (c *Console) find(at string) *file {
	if isPage(at) {
		return c.files[document]
	}
	if at == document { // it has one address
		return nil
	}
	return c.files[at]
}

// pages are the pages of the application, items those that have one below them for each item,
// and trees those whose items are below others, or have slashes in their names.
var (
	pages = map[string]bool{
		"/": true, "/calls": true, "/tools": true, "/agents": true, "/custom-tools": true, "/upstream": true, "/fleet": true,
		"/dead": true, "/audit": true, "/policy": true, "/grants": true, "/services": true, "/check": true, "/login": true,
		"/login/oidc": true, "/login/callback": true, "/overview": true, "/decisions": true,
		"/home": true, "/schedules": true, "/files": true, "/data": true,
	}
	items = map[string]bool{
		"/consents/": true, "/calls/": true, "/traces/": true, "/audit/": true, "/dead/": true, "/tools/": true, "/check/": true,
		"/connect/": true, "/schedules/": true,
	}
	trees = []string{"/conversations/", "/files/"}
)

// isPage reports whether a path is that of a page.
func isPage(at string) bool {
	dir, name := path.Split(at)
	below := func(tree string) bool { return strings.HasPrefix(at, tree) && name != "" }
	return pages[at] || items[dir] && name != "" || slices.ContainsFunc(trees, below)
}

// policy allows what the document needs, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// headers are those of every answer. No other site can frame a page, keep a handle of its
// window, or load its files.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

// serve answers a request with the file.
func (f *file) serve(w http.ResponseWriter, r *http.Request, status int) {
	head := w.Header()
	for name, value := range headers {
		head.Set(name, value)
	}
	if status == http.StatusOK {
		head.Set("ETag", f.tag)
	}
	head.Set("Vary", "Accept-Encoding")
	head.Set("Cache-Control", f.cache)
	if match := r.Header.Get("If-None-Match"); status == http.StatusOK && (match == "*" || strings.Contains(match, f.tag[len("W/"):])) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.body
	if packed := f.packed(); len(packed) < len(body) && takesGzip(r.Header.Get("Accept-Encoding")) {
		body = packed
		head.Set("Content-Encoding", "gzip")
	}
	head.Set("Content-Type", f.kind)
	head.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a browser that left is no failure
	}
}
