package webapi

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxRobots limits what is read of a robots.txt, in bytes, as RFC 9309 does.
	maxRobots = 500 << 10
	// robotsFor is the time for which one is kept.
	robotsFor = time.Hour
)

// robots is the robots.txt of a site, in the cache of a person.
type robots struct {
	// busy holds an element while a call reads or requests the rules.
	busy  chan struct{}
	rules *robotstxt.RobotsData
	until time.Time
}

func newRobots() *robots { return &robots{busy: make(chan struct{}, 1)} }

// robotsAllow returns an error if the robots.txt of the site forbids u (RFC 9309). A site
// without the file allows everything, and a site that fails to answer for it nothing.
func robotsAllow(ctx context.Context, call *tool.Call, u *url.URL) error {
	site := u.Scheme + "://" + u.Host
	kept, ok := call.Cache.Load("robots "+site, func() any { return newRobots() }).(*robots)
	if !ok {
		kept = newRobots()
	}
	rules, err := kept.get(ctx, call, site)
	if err != nil {
		return err
	}
	path := cmp.Or(u.EscapedPath(), "/")
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	if !rules.TestAgent(path, userAgent) {
		return tool.Fail(tool.PermissionDenied,
			"the robots.txt of %s does not allow programs to read this page, and the operator obeys it; read another page, or ask the person "+
				"to open it",
			u.Host)
	}
	return nil
}

// get returns the rules, which it reads if they are older than robotsFor. Calls for the same
// site wait for one another, so one request serves all.
func (r *robots) get(ctx context.Context, call *tool.Call, site string) (*robotstxt.RobotsData, error) {
	select {
	case r.busy <- struct{}{}:
		defer func() { <-r.busy }()
	case <-ctx.Done():
		return nil, tool.AsError(ctx.Err())
	}
	if now := call.Clock.Now(); r.rules != nil && now.Before(r.until) {
		return r.rules, nil
	}
	u, err := url.Parse(site + "/robots.txt")
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "Invalid URL: %s", site).Because(err)
	}
	req, err := requestTo(ctx, http.MethodGet, u, http.NoBody, nil)
	if err != nil {
		return nil, err
	}
	resp, err := call.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	if resp.StatusCode >= http.StatusInternalServerError {
		return nil, tool.Fail(tool.NetworkError,
			"the robots.txt of %s cannot be read now (status %d), and the operator obeys it; try again later",
			u.Host, resp.StatusCode).With("status", resp.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxRobots))
	if err != nil {
		return nil, err
	}
	rules, err := robotstxt.FromStatusAndBytes(resp.StatusCode, ruleLines(text))
	if err != nil {
		rules = &robotstxt.RobotsData{} // nothing in it can be understood
	}
	r.rules, r.until = rules, call.Clock.Now().Add(robotsFor)
	return rules, nil
}

// ruleLines returns the lines that state rules. The parser would refuse the whole file for
// a mistake in any other, such as a delay that is no number.
func ruleLines(text []byte) []byte {
	var w strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(valid(string(text)), "\uFEFF")) {
		name, _, _ := strings.Cut(line, ":")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "user-agent", "allow", "disallow":
			w.WriteString(line)
		}
	}
	return []byte(w.String())
}
