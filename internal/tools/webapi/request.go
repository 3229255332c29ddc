package webapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/helve-dev/helve/tool"
)

// managed lists headers that belong to the connection, not to the caller: with them one
// request can be made to look like two, or addressed to another host.
var managed = []string{
	"Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

func newRequest(ctx context.Context, args *httpRequestArgs) (*http.Request, error) {
	u, err := parseURL(args.URL)
	if err != nil {
		return nil, err
	}
	body, err := requestBody(args)
	if err != nil {
		return nil, err
	}
	return requestTo(ctx, cmp.Or(args.Method, http.MethodGet), u, body, args.Headers)
}

// userAgent identifies Helve to servers.
const userAgent = "Helve"

// requestTo returns a request with the headers of a caller; a body is JSON unless they say
// otherwise.
func requestTo(ctx context.Context, method string, u *url.URL, body io.Reader, headers map[string]string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "Invalid URL: %s", u.Redacted()).Because(err)
	}
	req.Header.Set("User-Agent", userAgent)
	if body != http.NoBody {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if err := setHeader(req.Header, name, headers[name]); err != nil {
			return nil, err
		}
	}
	return req, nil
}

func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, tool.Fail(tool.ValidationError, "Invalid URL: %s. Give a full address that begins with http:// or https://.",
			raw).Because(err)
	case u.User != nil:
		return nil, tool.Fail(tool.ValidationError, "Invalid URL: it holds a user name or password. Send an Authorization header instead.")
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	return u, nil
}

// escapeQuery escapes characters that a query must not contain, because models write
// ?q=two words. The URL package leaves a query unchanged.
func escapeQuery(query string) string {
	var w strings.Builder
	for _, b := range []byte(query) {
		if b <= ' ' || b >= 0x7f || strings.IndexByte("\"<>\\^`{|}", b) >= 0 {
			fmt.Fprintf(&w, "%%%02X", b)
		} else {
			w.WriteByte(b)
		}
	}
	return w.String()
}

// requestBody returns http.NoBody if there is none.
func requestBody(args *httpRequestArgs) (io.Reader, error) {
	switch {
	case args.JSON != nil && args.Body != "":
		return nil, tool.Fail(tool.ValidationError, "body and json are both given; send one of them")
	case args.Body != "":
		return strings.NewReader(args.Body), nil
	case args.JSON == nil:
		return http.NoBody, nil
	}
	text, err := jsonOf("json", args.JSON)
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(text), nil
}

// jsonOf returns the JSON of the parameter of a name.
func jsonOf(name string, value map[string]json.RawMessage) ([]byte, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, tool.Fail(tool.ValidationError, "%s cannot be encoded", name).Because(err)
	}
	return bytes.TrimSpace(w.Bytes()), nil
}

func setHeader(h http.Header, name, value string) error {
	value = strings.Trim(value, " \t")
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return tool.Fail(tool.ValidationError, "headers: %q is not a valid header name", name)
	case !httpguts.ValidHeaderFieldValue(value):
		return tool.Fail(tool.ValidationError, "headers: the value of %s holds a line break or another control character; remove it", name)
	case slices.Contains(managed, canonical) || strings.HasPrefix(canonical, "Proxy-"):
		return tool.Fail(tool.ValidationError, "headers: %s cannot be set; it follows from the URL and the body", name)
	case canonical == "Accept-Encoding":
		return nil // answers are decoded in any case
	}
	h.Set(canonical, value)
	return nil
}
