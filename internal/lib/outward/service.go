package outward

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// Service is an outside service, as a tool uses it.
type Service struct {
	// Name is the name of its entries in the config center.
	Name string
	// Base is the address of an entry without base_url; empty if an entry must have one.
	Base string
	// Address, if set, returns the address of an entry; an empty text stands for Base.
	Address func(data map[string]string) string
	// Use completes "It is needed ", such as "to translate texts".
	Use string
	// Set completes the command "helve config set NAME", such as "--stdin api_key".
	Set string
	// Sign adds the credentials of an entry to a request; nil sends api_key as bearer token.
	Sign func(req *http.Request, data map[string]string)
}

// Client sends requests with the account of one entry.
type Client struct {
	service Service
	entry   tool.ServiceEntry
	base    *url.URL
	call    *tool.Call
}

// Open returns a client for the first active entry of the service that the call may use.
// The error is not_configured if there is none.
func Open(ctx context.Context, call *tool.Call, s Service) (*Client, error) {
	c, err := Find(ctx, call, s)
	if c == nil && err == nil {
		return nil, Missing(call, s)
	}
	return c, err
}

// Find is Open for services of which one of several suffices: without an active entry it
// returns nil and no error.
func Find(ctx context.Context, call *tool.Call, s Service) (*Client, error) {
	entries, err := call.Secrets.Entries(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Active {
			return s.With(call, e)
		}
	}
	return nil, nil
}

// Anonymous returns a client that needs no entry: it sends requests to Base.
func (s Service) Anonymous(call *tool.Call) (*Client, error) {
	return s.With(call, tool.ServiceEntry{Active: true, Data: map[string]string{}})
}

// With returns a client for an entry.
func (s Service) With(call *tool.Call, e tool.ServiceEntry) (*Client, error) {
	text := e.Data["base_url"]
	if s.Address != nil {
		text = s.Address(e.Data)
	}
	if text = strings.TrimSpace(text); text == "" {
		text = s.Base
	}
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" || base.User != nil {
		return nil, tool.Fail(tool.NotConfigured,
			"The address of the service %[1]q is not an http or https address. Correct it: helve config set %[1]s base_url=https://…", s.Name)
	}
	base.RawQuery, base.Fragment = "", ""
	return &Client{service: s, entry: e, base: base, call: call}, nil
}

// Missing returns the error for a service without an active entry: what is missing, for
// whom, and the command that sets it.
func Missing(call *tool.Call, s Service) error {
	return tool.Fail(tool.NotConfigured,
		"The service %[1]q is not configured%[2]s. It is needed %[3]s. Set it: helve config set %[1]s %[4]s (with --user NAME for one person).",
		s.Name, whom(call), s.Use, s.Set)
}

// MissingAll is Missing for a purpose that any of several services serves.
func MissingAll(call *tool.Call, services ...Service) error {
	names, commands := make([]string, len(services)), make([]string, len(services))
	for i, s := range services {
		names[i], commands[i] = s.Name, s.Name+" "+s.Set
	}
	return tool.Fail(tool.NotConfigured,
		"None of the services %s is configured%s. One is needed %s. Set one: helve config set %s (with --user NAME for one person).",
		strings.Join(names, ", "), whom(call), services[0].Use, strings.Join(commands, ", or helve config set "))
}

// whom returns for whom an entry is missing.
func whom(call *tool.Call) string {
	if call.User == "" {
		return " for the tenant " + call.Tenant
	}
	return ", neither for " + call.User + " nor for the tenant " + call.Tenant
}

// Renewed returns the client to use in place of c after the service has answered 401, if the
// entry is the account of a person: its access token is replaced.
func (c *Client) Renewed(ctx context.Context) (*Client, bool, error) {
	e, ok, err := tool.RefreshEntry(ctx, c.call.Secrets, c.service.Name, c.entry)
	if !ok || err != nil {
		return c, false, err
	}
	next := *c
	next.entry = e
	return &next, true, nil
}

// Field returns the value of a field of the entry, without blanks around it.
func (c *Client) Field(name string) string { return strings.TrimSpace(c.entry.Data[name]) }

// Spend adds what a request consumed to the usage of the call.
func (c *Client) Spend(model string, input, output int) {
	c.call.Spend(tool.Usage{Service: c.service.Name, Model: model, Input: input, Output: output})
}

// Name returns the name of the service.
func (c *Client) Name() string { return c.service.Name }

// Base returns the address of the entry, for messages.
func (c *Client) Base() string { return c.base.String() }

// Host returns the host of the service, for messages.
func (c *Client) Host() string { return c.base.Host }

// Reach returns a context in which the address of the entry may be requested, if the entry
// is the tenant's, and whose requests count as those of the service.
func (c *Client) Reach(ctx context.Context) context.Context {
	ctx = tool.WithService(ctx, c.service.Name)
	if !c.entry.Shared {
		return ctx
	}
	return tool.WithReach(ctx, hostPort(c.base))
}

// Below reports whether a URL is at or below the address of the entry, so that its
// credentials may be sent there. A path that a server may read as one outside is not below.
func (c *Client) Below(u *url.URL) bool {
	if u.Scheme != c.base.Scheme || u.User != nil || !strings.EqualFold(hostPort(u), hostPort(c.base)) {
		return false
	}
	base := strings.TrimSuffix(c.base.EscapedPath(), "/")
	rest, below := strings.CutPrefix(u.EscapedPath(), base)
	if !below || rest != "" && rest[0] != '/' {
		return false
	}
	if base == "" {
		return true // every path is below
	}
	path := u.Path
	for strings.Contains(path, "%") { // encoded twice or more
		decoded, err := url.PathUnescape(path)
		if err != nil || decoded == path {
			break
		}
		path = decoded
	}
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' || r == ';' }) {
		if part == ".." {
			return false
		}
	}
	return true
}

// hostPort returns the address that a URL is dialed at.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
