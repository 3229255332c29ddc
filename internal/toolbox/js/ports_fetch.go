package js

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/text/encoding/charmap"

	"github.com/helve-dev/helve/tool"
)

const (
	maxURL         = 16 << 10
	maxHeaderCount = 200
	maxHeaderBytes = 64 << 10
)

var fetchMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// managed lists headers that belong to the connection: with them one request can be
// made to look like two, or addressed to another host.
var managed = []string{
	"Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// onceSender is an HTTP port that can return redirects to the caller.
type onceSender interface {
	DoOnce(req *http.Request) (*http.Response, error)
}

func (p *Ports) fetch(ctx context.Context, req FetchRequest, held *portion) (*FetchResponse, error) {
	if !p.Network || p.Call.HTTP == nil {
		return nil, tool.Fail(tool.PermissionDenied, "this tool has no access to the network")
	}
	if err := spend(&p.fetches, maxFetches, "fetches"); err != nil {
		return nil, err
	}
	out, err := newHTTPRequest(ctx, &req)
	if err != nil {
		return nil, err
	}
	do, err := p.sender(req.Redirect) //nolint:bodyclose // this sends nothing yet; what do returns is closed below
	if err != nil {
		return nil, err
	}
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	defer func() { <-p.slots }()
	resp, err := do(out)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	if req.Redirect == "error" && isRedirect(resp.StatusCode) {
		return nil, tool.Fail(tool.NetworkError, "the server redirects, which redirect: \"error\" forbids")
	}
	return readHTTPResponse(ctx, resp, out.URL.String(), held)
}

// enter waits until fewer than atOnce fetches and calls run, so that a script cannot
// make the host hold a hundred bodies concurrently.
func (p *Ports) enter(ctx context.Context) error {
	p.makeSlots.Do(func() { p.slots = make(chan struct{}, atOnce) })
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sender returns the function that sends a request with the script's redirect mode.
func (p *Ports) sender(redirect string) (func(*http.Request) (*http.Response, error), error) {
	switch redirect {
	case "", "follow":
		return p.Call.HTTP.Do, nil
	case "error", "manual":
		if port, ok := p.Call.HTTP.(onceSender); ok {
			return port.DoOnce, nil
		}
		return nil, tool.Fail(tool.Unsupported, "redirect: %q is not available here; leave it out", redirect)
	}
	return nil, tool.Fail(tool.ValidationError, "redirect must be follow, error or manual")
}

func isRedirect(status int) bool {
	return slices.Contains([]int{301, 302, 303, 307, 308}, status)
}

func newHTTPRequest(ctx context.Context, req *FetchRequest) (*http.Request, error) {
	u, err := fetchTarget(req.URL)
	if err != nil {
		return nil, err
	}
	switch {
	case !slices.Contains(fetchMethods, req.Method):
		return nil, tool.Fail(tool.ValidationError, "fetch: the method must be one of %s", strings.Join(fetchMethods, ", "))
	case len(req.Body) > MaxBody:
		return nil, tool.Fail(tool.ValidationError, "fetch: the body has more than %d MB", MaxBody>>20)
	case len(req.Body) > 0 && (req.Method == http.MethodGet || req.Method == http.MethodHead):
		return nil, tool.Fail(tool.ValidationError, "fetch: a %s request has no body", req.Method)
	}
	var body io.Reader
	if len(req.Body) > 0 {
		body = bytes.NewReader(req.Body)
	}
	out, err := http.NewRequestWithContext(ctx, req.Method, u.String(), body)
	if err != nil {
		return nil, invalidURL().Because(err)
	}
	if err := setHTTPHeaders(out.Header, req.Headers); err != nil {
		return nil, err
	}
	if out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", "Helve")
	}
	return out, nil
}

// fetchTarget accepts the output of the URL bridge: plain ASCII, escaped where
// necessary.
func fetchTarget(raw string) (*url.URL, error) {
	odd := func(c rune) bool { return c <= ' ' || c >= 0x7f }
	if len(raw) > maxURL || strings.ContainsFunc(raw, odd) {
		return nil, invalidURL()
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Opaque != "":
		return nil, invalidURL().Because(err)
	case u.User != nil:
		return nil, tool.Fail(tool.ValidationError, "fetch: the URL holds a user name or password; send an Authorization header")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func invalidURL() *tool.Error {
	return tool.Fail(tool.ValidationError, "fetch: the URL must be a full address that begins with http:// or https://")
}

func setHTTPHeaders(h http.Header, pairs [][2]string) error {
	size := 0
	for _, pair := range pairs {
		name, value := pair[0], strings.Trim(pair[1], " \t")
		size += len(name) + len(value)
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			return tool.Fail(tool.ValidationError, "fetch: %.64q is not a valid header name", name)
		case !httpguts.ValidHeaderFieldValue(value):
			return tool.Fail(tool.ValidationError, "fetch: the value of the header %.64s holds a line break or another control character", name)
		case slices.Contains(managed, canonical) || strings.HasPrefix(canonical, "Proxy-"):
			return tool.Fail(tool.ValidationError, "fetch: the header %.64s cannot be set; it follows from the URL and the body", name)
		case canonical == "Accept-Encoding":
			continue // answers are decoded in any case
		}
		h.Add(canonical, value)
	}
	if len(pairs) > maxHeaderCount || size > maxHeaderBytes {
		return tool.Fail(tool.ValidationError, "fetch: at most %d headers of %d KB in all can be sent", maxHeaderCount, maxHeaderBytes>>10)
	}
	return nil
}

func readHTTPResponse(ctx context.Context, resp *http.Response, asked string, held *portion) (*FetchResponse, error) {
	out := &FetchResponse{URL: asked, Status: resp.StatusCode, Headers: [][2]string{}}
	if resp.Request != nil && resp.Request.URL != nil {
		final := *resp.Request.URL
		final.Fragment, final.RawFragment = "", ""
		out.URL = final.String()
		out.Redirected = resp.Request.Response != nil
	}
	_, out.StatusText, _ = strings.Cut(resp.Status, " ")
	out.StatusText = headerText(cut(out.StatusText, 1<<10))
	size := 0
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			size += len(name) + len(value)
			out.Headers = append(out.Headers, [2]string{strings.ToLower(headerText(name)), headerText(value)})
		}
	}
	if size > maxHeaderBytes {
		return nil, tool.Fail(tool.NetworkError, "the headers of the response have more than %d KB", maxHeaderBytes>>10)
	}
	length := resp.ContentLength
	if resp.Request != nil && resp.Request.Method == http.MethodHead {
		length = 0 // it describes the body that a GET would return
	}
	var err error
	out.Body, err = readBody(ctx, resp.Body, length, held)
	if errors.Is(err, errBodyTooLong) {
		return nil, tool.Fail(tool.NetworkError, "the response has more than %d MB, which is the most a script can read; ask for a part of it",
			MaxBody>>20)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// headerText returns a header's bytes as a string: UTF-8 if valid, otherwise Latin-1.
func headerText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	s, _ = charmap.ISO8859_1.NewDecoder().String(s) // every byte is a character
	return s
}
