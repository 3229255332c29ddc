package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/server/api"
)

// routes maps each path to the handlers of its methods. The mux of net/http could
// distinguish methods too, but answers a wrong method in plain text.
type routes map[string]methods

type methods map[string]http.HandlerFunc

func (r routes) add(method, path string, serve http.HandlerFunc) {
	if r[path] == nil {
		r[path] = methods{}
	}
	r[path][method] = serve
	if method == http.MethodGet {
		r[path][http.MethodHead] = serve
	}
}

func (r routes) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for path, m := range r {
		mux.Handle(path, m)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		writeProblem(w, api.NotFound("there is nothing at %.200q", req.URL.Path))
	})
	return mux
}

// ServeHTTP calls the handler of the request's method, or reports the allowed methods.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if serve, ok := m[r.Method]; ok {
		serve(w, r)
		return
	}
	allowed := strings.Join(slices.Sorted(maps.Keys(m)), ", ")
	w.Header().Set("Allow", allowed)
	err := api.BadRequest("%.40q is not possible here; use %s", r.Method, allowed)
	err.Status = http.StatusMethodNotAllowed
	writeProblem(w, err)
}
