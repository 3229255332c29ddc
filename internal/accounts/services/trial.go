package services

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// trialTime bounds the request of a test.
const trialTime = 10 * time.Second

// Dialed connects to the server of an entry by a protocol that is not HTTP and signs in. It
// returns the code of the server's last reply, 0 if the protocol has none.
type Dialed func(ctx context.Context, protocol string, secrets tool.Secrets, e tool.ServiceEntry) (code int, err error)

// Test makes the request of a service with the entry of a label, or connects to its server,
// and returns what the service answered. The answer's body is not read: it may repeat the
// secret.
func (r *Reader) Test(
	ctx context.Context, port tool.HTTP, dial Dialed, tenant, user, service, label string,
) (protocol.ServiceTested, error) {
	secrets := r.For(tenant, user)
	all, err := secrets.Entries(ctx, service)
	if err != nil {
		return protocol.ServiceTested{}, err
	}
	var entry *tool.ServiceEntry
	for i := range all {
		if all[i].Label == label {
			entry = &all[i]
			break
		}
	}
	if entry == nil {
		return protocol.ServiceTested{}, tool.Fail(tool.NotFound, "there is no entry %s of the service %s", label, service)
	}
	if entry.Shared && user != "" { // a test shows its address, and whether it works
		return protocol.ServiceTested{}, tool.Fail(tool.NotFound,
			"there is no entry %s of the service %s that is the person's own; an admin tests the entry of all", label, service)
	}
	schema, known := r.Registry.Lookup(service)
	if !known {
		schema = generic(service)
	}
	if schema.Test == nil || !known && entry.Data["base_url"] == "" {
		return protocol.ServiceTested{}, tool.Fail(tool.ValidationError, "the service %s has no test", service)
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	if schema.Test.Dial != "" {
		code, err := dial(ctx, schema.Test.Dial, secrets, *entry)
		if err != nil {
			return protocol.ServiceTested{
				Status: code, Message: r.withoutSecrets(tool.AsError(err).Msg, schema, group{tenant, user, service}, *entry),
			}, nil
		}
		return protocol.ServiceTested{OK: true, Status: code, Message: fmt.Sprintf("%s accepted the account", entry.Data["host"])}, nil
	}
	req, err := request(ctx, *schema.Test, entry.Data)
	if err != nil {
		return protocol.ServiceTested{Message: err.Error()}, nil
	}
	if entry.Shared {
		host := req.URL.Host
		if req.URL.Port() == "" {
			host = net.JoinHostPort(req.URL.Hostname(), map[string]string{"http": "80", "https": "443"}[req.URL.Scheme])
		}
		req = req.WithContext(tool.WithReach(ctx, host))
	}
	resp, err := port.Do(req)
	if err != nil {
		return protocol.ServiceTested{Message: r.withoutSecrets(tool.AsError(err).Msg, schema, group{tenant, user, service}, *entry)}, nil
	}
	_ = resp.Body.Close() // nothing of it is read
	return Tested(req.URL.Host, resp.StatusCode), nil
}

// Tested returns what the status of an answer says about an entry.
func Tested(host string, status int) protocol.ServiceTested {
	t := protocol.ServiceTested{OK: status >= 200 && status < 300, Status: status}
	outcome := "accepted the request"
	switch {
	case t.OK:
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		outcome = "refused the credentials"
	case status >= http.StatusInternalServerError:
		outcome = "failed"
	default:
		outcome = "did not accept the request"
	}
	t.Message = fmt.Sprintf("%s %s: %d %s", host, outcome, status, http.StatusText(status))
	return t
}

// request returns the request of a test with the values of an entry.
func request(ctx context.Context, t tool.ServiceTest, data map[string]string) (*http.Request, error) {
	address, err := url.Parse(filled(t.URL, data))
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "" {
		return nil, errors.New("the entry has no usable address: set base_url to an http or https address")
	}
	if len(t.Query) > 0 {
		query := address.Query()
		for name, value := range t.Query {
			query.Set(name, filled(value, data))
		}
		address.RawQuery = query.Encode()
	}
	method := t.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, address.String(), nil)
	if err != nil {
		return nil, errors.New("the request of the test cannot be made")
	}
	for name, value := range t.Header {
		req.Header.Set(name, filled(value, data))
	}
	switch {
	case data[t.Bearer] != "":
		req.Header.Set("Authorization", "Bearer "+data[t.Bearer])
	case data[t.User] != "" || data[t.Password] != "":
		req.SetBasicAuth(data[t.User], data[t.Password])
	}
	req.Header.Set("User-Agent", "Helve")
	return req, nil
}

// filled replaces {name} by values.
func filled(text string, data map[string]string) string {
	return reference.ReplaceAllStringFunc(text, func(name string) string {
		return strings.TrimRight(strings.TrimSpace(data[strings.Trim(name, "{}")]), "/")
	})
}

// withoutSecrets removes secret values from a text: those of the schema, and those that were
// secret when the entry was stored.
func (r *Reader) withoutSecrets(text string, schema tool.Service, g group, e tool.ServiceEntry) string {
	if e.Shared {
		g.user = ""
	}
	var sealed []string
	r.mu.RLock()
	for _, s := range r.entries[g] {
		if s.at.Label == e.Label {
			sealed = s.clear.Secrets
		}
	}
	r.mu.RUnlock()
	for name, value := range e.Data {
		if f, err := fieldOf(schema, name); value != "" && (err != nil || f.Secret || slices.Contains(sealed, name)) {
			text = strings.ReplaceAll(text, value, "…")
		}
	}
	return text
}
