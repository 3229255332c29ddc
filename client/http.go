package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// idleConnections is the number of connections kept for later requests. With net/http's
// default of 2, concurrent callers keep dialling.
const idleConnections = 256

type httpTransport struct {
	// base has no slash at its end; shown is base without a password.
	base, shown string
	tenant      string
	token       string
	silent      error
	client      *http.Client
	own         *http.Transport
}

func newHTTP(server string, set settings) *httpTransport {
	t := &httpTransport{base: strings.TrimRight(server, "/"), tenant: set.tenant, token: set.token, client: set.httpClient}
	t.shown = redacted(t.base)
	t.silent = unreachable(t.shown, errSilent)
	if t.client == nil {
		t.own = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			TLSClientConfig:       set.tls,
			ForceAttemptHTTP2:     true,
			MaxIdleConnsPerHost:   idleConnections,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   10 * time.Second,
			ExpectContinueTimeout: time.Second,
		}
		t.client = &http.Client{Transport: t.own}
	}
	return t
}

// redacted returns a URL without its password.
func redacted(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return "the server"
	}
	return u.Redacted()
}

func (t *httpTransport) close() {
	if t.own != nil {
		t.own.CloseIdleConnections()
	}
}

func (t *httpTransport) silence() error { return t.silent }

// send returns the answer to a request, whatever its status; the caller must close its
// body.
func (t *httpTransport) send(ctx context.Context, op operation, header http.Header) (*http.Response, error) {
	var body io.Reader
	kind := "application/json"
	if op.body != nil {
		body = bytes.NewReader(op.body)
	} else if op.upload != nil {
		body, kind = op.upload, "application/octet-stream"
	}
	req, err := http.NewRequestWithContext(ctx, op.method, t.base+op.path, body)
	if err != nil {
		return nil, misused("the request cannot be made: %v", err)
	}
	if header != nil {
		req.Header = header
	}
	if t.tenant != "" {
		req.Header.Set("Helve-Tenant", t.tenant)
	}
	req.Header.Set("User-Agent", "helve-client")
	if t.token != "" {
		req.Header.Set("Authorization", "Bearer "+t.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, ended(ctx, unreachable(t.shown, err))
	}
	if resp.Close && t.own != nil {
		// The server is stopping: it will close its idle connections too, at a moment when a
		// request may just be sent on one, which then fails.
		t.own.CloseIdleConnections()
	}
	return resp, nil
}

func (t *httpTransport) request(ctx context.Context, op operation) (answer, error) {
	resp, err := t.send(ctx, op, nil)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := readBody(resp)
	if err != nil {
		return answer{}, ended(ctx, unreachable(t.shown, fmt.Errorf("the connection was lost: %w", err)))
	}
	got := answer{body: body, retryAfter: parseRetryAfter(resp.Header.Get("Retry-After"), time.Now())}
	if resp.StatusCode/100 == 2 || holdsResults(body) {
		return got, nil
	}
	return answer{}, t.refused(resp.StatusCode, got)
}

func (t *httpTransport) refused(status int, got answer) error {
	instead := fmt.Sprintf("%s answered %d %s; is it a Helve server?", t.shown, status, http.StatusText(status))
	return problem(status, got.body, got.retryAfter, instead)
}

// readBody reads an answer into one buffer of its size, if the size is known.
func readBody(resp *http.Response) ([]byte, error) {
	if resp.ContentLength < 0 {
		return io.ReadAll(resp.Body)
	}
	var buf bytes.Buffer
	buf.Grow(int(min(resp.ContentLength, 1<<20)) + bytes.MinRead)
	_, err := buf.ReadFrom(resp.Body)
	return buf.Bytes(), err
}

// holdsResults reports whether the body of an unsuccessful answer still contains the
// outcome of each call: an overloaded server refuses them one by one.
func holdsResults(body []byte) bool {
	var told struct {
		Results jsontext.Value `json:"results"`
	}
	return json.Unmarshal(body, &told, lenient) == nil && told.Results.Kind() == '['
}

func (t *httpTransport) fetch(ctx context.Context, callID string, _ *ResultRef, limit int64) ([]byte, error) {
	op := operation{method: http.MethodGet, path: "/v1/calls/" + url.PathEscape(callID) + "/result"}
	resp, err := t.send(ctx, op, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := readUpTo(resp.Body, limit)
	if err != nil {
		return nil, ended(ctx, unreachable(t.shown, err))
	}
	if resp.StatusCode != http.StatusOK {
		return nil, t.refused(resp.StatusCode, answer{body: body})
	}
	return body, nil
}

var errLonger = errors.New("the body is longer than announced")

// readUpTo reads all of r, which must not hold more than limit bytes.
func readUpTo(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = errLonger
	}
	return body, err
}
