package webapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// apiPage is one answer of an API.
type apiPage struct {
	status  int
	data    json.RawMessage // null for an empty body
	isJSON  bool
	size    int
	next    *url.URL // of the next page, nil on the last
	comment string   // why there is no next page although the server names one
}

// run sends the request, and those of the further pages.
func (a *apiCall) run(ctx context.Context) (*apiResult, error) {
	first, err := a.page(ctx, a.first, maxAPI)
	if err != nil {
		return nil, err
	}
	res := &apiResult{Status: first.status, Data: first.data, NotModified: first.status == http.StatusNotModified}
	outward.MarkUntrusted(a.call)
	if a.args.MaxPages > 1 && first.status < 300 {
		if err := a.join(ctx, res, first); err != nil {
			return nil, err
		}
	} else if first.next != nil {
		a.call.Note("The server has a next page: %s; set maxPages to read several.", a.hide(first.next.Redacted()))
	}
	return res, nil
}

// join adds the lists of the further pages to the result. A page that fails ends it, with
// a note: the pages before stay useful.
func (a *apiCall) join(ctx context.Context, res *apiResult, first *apiPage) error {
	var list []json.RawMessage
	if json.Unmarshal(first.data, &list) != nil || list == nil {
		if first.next != nil {
			a.call.Note("Only lists of several pages can be joined, and this answer is none: use select to choose the list. The next page is %s.",
				a.hide(first.next.Redacted()))
		}
		return nil
	}
	res.Pages = 1
	left, seen := maxAPI-first.size, map[string]bool{a.first.String(): true}
	page := first
	for page.next != nil && res.Pages < a.args.MaxPages && left > 0 && !seen[page.next.String()] {
		seen[page.next.String()] = true
		next, err := a.page(ctx, page.next, left)
		if err != nil && ctx.Err() != nil {
			return err
		}
		var more []json.RawMessage
		if err == nil && (next.status >= 300 || json.Unmarshal(next.data, &more) != nil) {
			err = tool.Fail(tool.ExecutionError, "it is no list (status %d)", next.status)
		}
		if err != nil {
			a.call.Note("Page %d could not be read, so data has the pages before it: %s", res.Pages+1, tool.AsError(err).Msg)
			res.Truncated = true
			break
		}
		res.Pages++
		list = append(list, more...)
		left -= next.size
		page = next
	}
	switch {
	case res.Truncated:
	case page.comment != "":
		a.call.Note("%s", page.comment)
		res.Truncated = true
	case page.next != nil && !seen[page.next.String()]:
		a.call.Note("There are more pages after the %d that were read; the next one is %s.", res.Pages, a.hide(page.next.Redacted()))
		res.Truncated = true
	}
	data, err := json.Marshal(list)
	if err != nil {
		return tool.Fail(tool.ExecutionError, "the lists of the pages cannot be joined").Because(err)
	}
	res.Data = data
	return nil
}

// page reads one answer, of at most this many bytes.
func (a *apiCall) page(ctx context.Context, u *url.URL, most int) (*apiPage, error) {
	resp, err := a.send(ctx, u)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	if err := a.refused(resp); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > most:
		return nil, tool.Fail(tool.ExecutionError,
			"the answer is longer than %d MB, the most that is read; ask the API for less, such as a smaller page",
			maxAPI>>20).With("status", resp.StatusCode)
	}
	p := &apiPage{status: resp.StatusCode, size: len(body)}
	p.data, p.isJSON = value([]byte(a.hide(string(body))), resp.Header.Get("Content-Type"))
	a.link(p, resp)
	if a.path == nil || resp.StatusCode >= 300 {
		return p, nil
	}
	if !p.isJSON {
		return nil, tool.Fail(tool.ExecutionError,
			"the answer is not JSON, so select cannot choose from it; call again without select").With("status", resp.StatusCode)
	}
	p.data, err = a.path.from(p.data)
	return p, err
}

// value returns a body as JSON: itself if it is JSON, otherwise its text.
func value(body []byte, contentType string) (data json.RawMessage, isValue bool) {
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	if len(trimmed) == 0 {
		return json.RawMessage("null"), false
	}
	if isJSON(string(trimmed)) {
		return trimmed, true
	}
	text, err := json.Marshal(strings.ReplaceAll(decode(body, contentType, false), "\x00", "\uFFFD"))
	if err != nil {
		text = []byte(`""`)
	}
	return text, false
}

// link sets the next page. A request with credentials goes to the server of the first
// request only, that of a service below its address only.
func (a *apiCall) link(p *apiPage, resp *http.Response) {
	raw := nextLink(resp.Header.Values("Link"))
	if raw == "" {
		return
	}
	to, err := resp.Request.URL.Parse(raw)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" || to.User != nil {
		p.comment = "The server names a next page whose address cannot be requested."
		return
	}
	to.Fragment = ""
	switch {
	case a.account != nil && !a.account.client.Below(to):
		p.comment = "The next page, " + a.hide(to.Redacted()) + ", is not below the base_url of the service, so it was not read."
	case a.account == nil && a.carries() && (to.Scheme != a.first.Scheme || to.Host != a.first.Host):
		p.comment = "The next page, " + to.Redacted() +
			", is on another server, and the headers of this call are not sent there, so it was not read."
	default:
		p.next = to
	}
}

// hide removes the credentials of the service from a text of the server, which may repeat
// what it was sent.
func (a *apiCall) hide(text string) string {
	if a.account == nil {
		return text
	}
	return a.account.hide(text)
}

// carries reports whether the requests have what may be a credential.
func (a *apiCall) carries() bool { return a.args.BearerToken != "" || len(a.args.Headers) > 0 }
