package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/helve-dev/helve/client"
)

// gateway passes requests of the pages' @helve/client on to Helve, with the key of this
// program.
type gateway struct {
	server *url.URL
	token  string
	via    *http.Transport
}

func newGateway(server, token string) (*gateway, error) {
	at, err := url.Parse(server)
	// Compression would cost the answers their lengths.
	via := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true, IdleConnTimeout: 90 * time.Second}
	return &gateway{server: at, token: token, via: via}, err
}

// operations returns the operations that pages may use, each with its check. Helve accepts
// any person that this program names, so the check must refuse a request about another
// person's data.
func operations() map[string]func(*http.Request, *conversation) error {
	return map[string]func(*http.Request, *conversation) error{
		"GET /v1/consents/{id}":           asked,
		"POST /v1/consents/{id}/decision": decides,
		"GET /v1/grants":                  nil, // lists what is the person's, see onlyOf
		"DELETE /v1/grants/{id}":          remembers,
		"GET /v1/calls/{id}":              called,
		"GET /v1/tools/{name}":            named,
		"GET /v1/custom-tools/{name}":     named,
		"GET /v1/files/{path...}":         filed,
	}
}

// handler serves the operations for the signed-in person, whose conversation mine returns.
func (g *gateway) handler(mine func(func(http.ResponseWriter, *http.Request, *conversation)) http.HandlerFunc) http.Handler {
	proxy := &httputil.ReverseProxy{Rewrite: g.rewrite, ModifyResponse: plain, ErrorHandler: refuse, Transport: g.via}
	mux := http.NewServeMux()
	for pattern, check := range operations() {
		mux.HandleFunc(pattern, mine(func(w http.ResponseWriter, r *http.Request, c *conversation) {
			if check != nil {
				if err := check(r, c); err != nil {
					refuse(w, r, err)
					return
				}
			}
			r.URL.RawQuery = onlyOf(r.URL.Query(), c.user)
			proxy.ServeHTTP(w, r)
		}))
	}
	return mux
}

// onlyOf returns a query with the person in each parameter that may name one.
func onlyOf(query url.Values, user string) string {
	for _, name := range []string{"user", "owner", "by"} {
		query.Set(name, user)
	}
	return query.Encode()
}

// rewrite addresses a request to Helve. It drops the other headers of the browser: the
// cookie is for this program only, and Helve refuses pages of another origin.
func (g *gateway) rewrite(r *httputil.ProxyRequest) {
	r.Out.Header = http.Header{}
	for _, name := range []string{"Accept", "Accept-Language", "Content-Type"} {
		if value := r.In.Header.Get(name); value != "" {
			r.Out.Header.Set(name, value)
		}
	}
	if g.token != "" {
		r.Out.Header.Set("Authorization", "Bearer "+g.token)
	}
	r.SetURL(g.server)
}

// plain drops the headers of an answer that the client does not read. A file is sent as
// octets, so that no browser shows it as a page of this program. A refused key is an error
// of this program: with status 401 the page would end the person's session.
func plain(res *http.Response) error {
	if res.StatusCode == http.StatusUnauthorized {
		return errors.New("the key of this program is refused; see HELVE_TOKEN")
	}
	kept := []string{"Content-Type", "Content-Length", "Content-Encoding", "Content-Disposition", "Etag", "Retry-After"}
	maps.DeleteFunc(res.Header, func(name string, _ []string) bool { return !slices.Contains(kept, name) })
	if res.Header.Get("Content-Disposition") != "" {
		res.Header.Set("Content-Type", "application/octet-stream")
	}
	return nil
}

// asked checks that a call of this conversation waits for a consent, which is so this person's.
// What the person is asked elsewhere is shown there, and in the console.
func asked(r *http.Request, c *conversation) error {
	if !c.asks(r.PathValue("id")) {
		return errNone
	}
	return nil
}

// maxDecision bounds the body of a decision, in bytes.
const maxDecision = 64 << 10

// decides checks that a consent is this conversation's, and sets the person as its decider.
func decides(r *http.Request, c *conversation) error {
	if err := asked(r, c); err != nil {
		return err
	}
	said := map[string]json.RawMessage{}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxDecision+1))
	if err == nil && len(body) > maxDecision {
		err = errors.New("the decision is too long")
	}
	if err == nil {
		err = json.Unmarshal(body, &said)
	}
	if err != nil {
		return &client.RequestError{Type: client.BadRequest, Message: err.Error()}
	}
	kept := []string{"decision", "remember", "never_ask", "comment", "answer"}
	maps.DeleteFunc(said, func(name string, _ json.RawMessage) bool { return !slices.Contains(kept, name) })
	if said["context"], err = json.Marshal(map[string]string{"user": c.user}); err != nil {
		return err
	}
	if body, err = json.Marshal(said); err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Type", "application/json")
	return nil
}

// remembers checks that a remembered answer is this person's.
func remembers(r *http.Request, c *conversation) error {
	all, err := c.loop.Client.Grants(r.Context(), c.user)
	mine := func(g client.Grant) bool { return g.ID == r.PathValue("id") && g.User == c.user }
	if err == nil && !slices.ContainsFunc(all, mine) {
		err = errNone
	}
	return err
}

// called checks that a call is one of this conversation's.
func called(r *http.Request, c *conversation) error {
	if !c.has(r.PathValue("id")) {
		return errNone
	}
	return nil
}

var toolPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]{0,63}$`)

// named checks that a name is that of a tool, and not part of another path.
func named(r *http.Request, _ *conversation) error {
	if !toolPattern.MatchString(r.PathValue("name")) {
		return errNone
	}
	return nil
}

// filed checks that a path names a file; directories are not listed.
func filed(r *http.Request, _ *conversation) error {
	if name := r.PathValue("path"); name == "." || !fs.ValidPath(name) {
		return errNone
	}
	return nil
}

// errNone is the error for another person's data, the same as for data that does not exist.
var errNone error = &client.RequestError{Type: client.NotFound}

// refuse answers with a problem, as Helve does. It reports forbidden data as not found.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the page closed the request
	}
	status, kind, detail := http.StatusServiceUnavailable, client.Unavailable, "Helve does not answer: "+err.Error()
	failed, _ := errors.AsType[*client.RequestError](err)
	if failed != nil && slices.Contains([]string{client.NotFound, client.Forbidden, client.BadRequest}, failed.Type) {
		status, kind, detail = http.StatusNotFound, client.NotFound, "there is no such thing"
	}
	body, err := json.Marshal(map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail, "error_type": kind,
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the reader is gone if it fails
}
