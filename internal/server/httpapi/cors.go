package httpapi

import (
	"net/http"
	"net/url"
	"strings"
)

// Origins are the origins of foreign web pages that may use the API. The zero value
// allows none.
type Origins map[string]bool

// NewOrigins returns the origins in a list like "https://app.example", in the form that
// browsers send.
func NewOrigins(list []string) Origins {
	o := Origins{}
	for _, origin := range list {
		o[asSent(origin)] = true
	}
	return o
}

// asSent converts an origin to the form that browsers send: lower case, without the
// default port.
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
	sharedAnswers = "Accept-Ranges, Content-Disposition, Content-Range, ETag, Retry-After, WWW-Authenticate, Mcp-Session-Id"
	// sharedFor is the time in seconds for which a browser may cache the answer.
	sharedFor = "600"
)

// sharedHeaders are the request headers that a page may set, and sharedPrefixes the
// prefixes of further ones. Browsers send them in lower case.
var (
	sharedHeaders = map[string]bool{
		"accept": true, "authorization": true, "content-type": true, "content-encoding": true, "last-event-id": true,
		"if-match": true, "if-none-match": true, "if-range": true, "range": true, "traceparent": true, "tracestate": true,
	}
	sharedPrefixes = []string{"helve-", "mcp-"}
)

// Share allows pages of these origins to use next, and answers preflight requests.
// Pages of other origins get no CORS headers, so browsers withhold the answers from
// them. Cookies count for pages of this host only; a foreign page identifies the caller by
// the Authorization header.
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

// allowedHeaders returns the requested headers that a page may set.
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
