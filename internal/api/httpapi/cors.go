package httpapi

import (
	"net/http"
	"net/url"
	"strings"
)

// Origins are the origins of foreign web pages that may use the API. None may unless
// it is named.
type Origins map[string]bool

// NewOrigins returns the origins of a list like "https://app.example", each in the
// form in which browsers send it.
func NewOrigins(list []string) Origins {
	o := Origins{}
	for _, origin := range list {
		o[asSent(origin)] = true
	}
	return o
}

// asSent writes an origin as browsers do: in lower case, without the port that goes
// without saying.
func asSent(origin string) string {
	page, err := url.Parse(strings.ToLower(origin))
	if err != nil {
		return origin
	}
	host := page.Host
	if page.Port() == standardPorts[page.Scheme] {
		host = strings.TrimSuffix(host, ":"+page.Port())
	}
	return page.Scheme + "://" + host
}

const (
	sharedMethods = "GET, HEAD, POST, PUT, DELETE"
	sharedAnswers = "ETag, Retry-After, WWW-Authenticate, Mcp-Session-Id"
	// sharedFor is how many seconds a browser need not ask again.
	sharedFor = "600"
)

// sharedHeaders are the request headers that a page may set, and sharedPrefixes
// what others may begin with. A browser asks in lower case.
var (
	sharedHeaders = map[string]bool{
		"accept": true, "authorization": true, "content-type": true, "content-encoding": true, "last-event-id": true,
		"if-none-match": true, "traceparent": true, "tracestate": true,
	}
	sharedPrefixes = []string{"helve-", "mcp-"}
)

// Share tells browsers that pages of these origins may use what next serves, and
// answers what they ask ahead of a request. Pages of all others get no word of it,
// so their browsers keep the answers from them. Cookies are never asked for: a
// caller is who the Authorization header says.
func (o Origins) Share(next http.Handler) http.Handler {
	if len(o) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Add("Vary", "Origin")
		from := r.Header.Values("Origin")
		if len(from) != 1 || !o[from[0]] {
			next.ServeHTTP(w, r)
			return
		}
		head.Set("Access-Control-Allow-Origin", from[0])
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			head.Set("Access-Control-Allow-Methods", sharedMethods)
			head.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header.Get("Access-Control-Request-Headers")))
			head.Set("Access-Control-Max-Age", sharedFor)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		head.Set("Access-Control-Expose-Headers", sharedAnswers)
		next.ServeHTTP(w, r)
	})
}

// allowedHeaders are those of the requested headers that a page may set.
func allowedHeaders(requested string) string {
	var allowed []string
	for name := range strings.SplitSeq(strings.ToLower(requested), ",") {
		name = strings.TrimSpace(name)
		ok := sharedHeaders[name]
		for _, prefix := range sharedPrefixes {
			ok = ok || strings.HasPrefix(name, prefix)
		}
		if ok {
			allowed = append(allowed, name)
		}
	}
	return strings.Join(allowed, ", ")
}
