package apitools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/helve-dev/helve/internal/toolbox/apidoc"
	"github.com/helve-dev/helve/tool"
)

// credential is a security scheme and the service that is bound to it.
type credential struct {
	scheme  apidoc.Scheme
	service string
}

// alternatives returns the ways in which an operation can be authorized with the services
// that the operator has bound; none if the operation needs no authorization, or nothing is
// bound. A document without security schemes gets a bearer token.
func (a *API) alternatives(doc *apidoc.Document, op *apidoc.Operation) [][]credential {
	if len(a.Service.names()) == 0 {
		return nil
	}
	if len(doc.Schemes) == 0 {
		if a.Service.All == "" {
			return nil
		}
		return [][]credential{{{apidoc.Scheme{Type: apidoc.Bearer}, a.Service.All}}}
	}
	if !op.Secured && a.Service.All == "" {
		return nil
	}
	var ways [][]credential
	for _, names := range securityOf(doc, op) {
		var way []credential
		for _, name := range names {
			if scheme, service := doc.Schemes[name], a.Service.of(name); scheme.Type != "" && service != "" {
				way = append(way, credential{scheme, service})
			}
		}
		if len(way) == len(names) && len(way) > 0 {
			ways = append(ways, way)
		}
	}
	return ways
}

// securityOf returns the alternatives of an operation: any scheme, if the document says
// nothing about it.
func securityOf(doc *apidoc.Document, op *apidoc.Operation) [][]string {
	const most = 16 // each operation has a list of its own
	if op.Secured {
		return op.Security
	}
	var security [][]string
	for _, name := range slices.Sorted(maps.Keys(doc.Schemes)) {
		if security = append(security, []string{name}); len(security) == most {
			break
		}
	}
	return security
}

// keys are the credentials of one call.
type keys struct {
	header http.Header
	query  url.Values
	cookie []string // NAME=VALUE
	used   []used
	hidden []string // what no text may show
}

// used is a credential and the entry whose fields it sends.
type used struct {
	credential
	entry tool.ServiceEntry
}

// account reports whether the entry is the account of a person: it has the values of the
// registration too.
func (u used) account() bool {
	return u.entry.Data[tool.AccessToken] != "" && u.entry.Data["client_id"] != ""
}

// hide adds a secret, in each form in which an answer or an error could repeat it.
func (k *keys) hide(secret string) {
	const shortest = 4 // a shorter text would be found everywhere
	if len(secret) < shortest {
		return
	}
	k.hidden = append(k.hidden, secret)
	quoted, err := json.Marshal(secret)
	forms := []string{url.QueryEscape(secret), url.PathEscape(secret)}
	if err == nil {
		text := string(quoted[1 : len(quoted)-1])
		forms = append(forms, text, strings.ReplaceAll(text, "/", `\/`), strings.ReplaceAll(secret, "/", `\/`))
	}
	for _, form := range forms {
		if !slices.Contains(k.hidden, form) {
			k.hidden = append(k.hidden, form)
		}
	}
}

// mark replaces a secret in a text.
const mark = "[secret]"

// scrub removes the secrets from a text of the API.
func (k *keys) scrub(text []byte) []byte {
	for _, secret := range k.hidden {
		text = bytes.ReplaceAll(text, []byte(secret), []byte(mark))
	}
	return text
}

// keys reads the credentials of a call. Without an entry of a bound service the call fails
// with not_configured.
func (o *offer) keys(ctx context.Context, call *tool.Call) (*keys, error) {
	k := &keys{header: http.Header{}, query: url.Values{}}
	if len(o.alternatives) == 0 || !sameOrigin(o.base, o.home) {
		return k, nil
	}
	var first error
	for _, way := range o.alternatives {
		found := &keys{header: http.Header{}, query: url.Values{}}
		err := o.fill(ctx, call, way, found)
		switch {
		case err == nil:
			return found, nil
		case first == nil:
			first = err
		}
	}
	optional := slices.ContainsFunc(o.op.Security, func(names []string) bool { return len(names) == 0 })
	if optional && tool.AsError(first).Kind == tool.NotConfigured {
		return k, nil
	}
	return nil, first
}

func (o *offer) fill(ctx context.Context, call *tool.Call, way []credential, k *keys) error {
	for _, c := range way {
		entries, err := call.Secrets.Entries(ctx, c.service)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(entries, func(e tool.ServiceEntry) bool { return e.Active })
		if i < 0 {
			return o.missing(call, c.service)
		}
		if err := o.add(k, used{c, entries[i]}); err != nil {
			return err
		}
	}
	return nil
}

// add adds the credential of an entry.
func (o *offer) add(k *keys, u used) error {
	if err := o.within(u.service, u.entry.Data["base_url"]); err != nil {
		return err
	}
	return k.add(u)
}

// renewed returns the keys of a call after one of them was refused, with a new token in place
// of that of a person's account; nil if none is an account.
func (o *offer) renewed(ctx context.Context, call *tool.Call, k *keys) (*keys, error) {
	next := &keys{header: http.Header{}, query: url.Values{}, hidden: k.hidden}
	changed := false
	for _, u := range k.used {
		entry, ok, err := tool.RefreshEntry(ctx, call.Secrets, u.service, u.entry)
		if err != nil {
			return nil, err
		}
		if ok {
			u.entry, changed = entry, true
		}
		if err := o.add(next, u); err != nil {
			return nil, err
		}
	}
	if !changed {
		return nil, nil
	}
	return next, nil
}

// within refuses an entry that belongs to another address: its key is not sent here. An
// address that only the document names is none that an operator has agreed to.
func (o *offer) within(service, address string) error {
	switch {
	case address == "" && o.api.BaseURL == "":
		return tool.Fail(tool.NotConfigured,
			"The address %[1]s of the API %[2]s is known from its document only, and the key of the service %[3]q is not sent to an address that "+
				"nobody has set. Set it: helve config set %[3]s base_url=%[1]s (or base_url of the API in the file of documents)",
			o.home.String(), o.api.Name, service)
	case address == "":
		return nil
	}
	if u, err := url.Parse(strings.TrimSpace(address)); err == nil && sameOrigin(u, o.home) {
		return nil
	}
	return tool.Fail(tool.PermissionDenied,
		"the account of the service %s is for another address than %s, which the API %s has; its key is not sent there",
		service, o.home.Host, o.api.Name)
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// add adds the credential of a scheme, from the fields of an entry.
func (k *keys) add(u used) error {
	c, fields := u.credential, u.entry.Data
	token := strings.TrimSpace(cmp.Or(fields[tool.AccessToken], fields["api_key"], fields["token"], fields["key"]))
	k.used = append(k.used, u)
	user, password := cmp.Or(fields["user"], fields["username"]), fields["password"]
	switch {
	case token != "" && c.scheme.Type == apidoc.APIKey && c.scheme.In == apidoc.InQuery:
		k.query.Set(c.scheme.Name, token)
	case token != "" && c.scheme.Type == apidoc.APIKey && c.scheme.In == apidoc.InCookie:
		if !httpguts.ValidHeaderFieldName(c.scheme.Name) || slices.ContainsFunc([]byte(token), func(b byte) bool { return !octet(b) }) {
			return tool.Fail(tool.NotConfigured,
				"The key of the service %[1]s holds characters that no cookie can have. Set it again: helve config set %[1]s %[2]s",
				c.service, howTo(c.scheme))
		}
		k.cookie = append(k.cookie, c.scheme.Name+"="+token)
	case token != "" && c.scheme.Type == apidoc.APIKey && httpguts.ValidHeaderFieldName(c.scheme.Name):
		k.header.Set(c.scheme.Name, token)
	case token != "" && c.scheme.Type == apidoc.Bearer:
		k.header.Set("Authorization", "Bearer "+token)
	case (user != "" || password != "") && c.scheme.Type != apidoc.APIKey:
		basic := &http.Request{Header: http.Header{}}
		basic.SetBasicAuth(user, password)
		k.header.Set("Authorization", basic.Header.Get("Authorization"))
	case token != "" && c.scheme.Type == apidoc.Basic:
		basic := &http.Request{Header: http.Header{}}
		basic.SetBasicAuth(token, "")
		k.header.Set("Authorization", basic.Header.Get("Authorization"))
	default:
		return tool.Fail(tool.NotConfigured,
			"The account of the service %[1]s has no field that the API accepts (%[2]s). Set it: helve config set %[1]s %[3]s",
			c.service, fieldsFor(c.scheme), howTo(c.scheme))
	}
	for _, values := range k.header {
		if !httpguts.ValidHeaderFieldValue(values[0]) {
			return tool.Fail(tool.NotConfigured,
				"The key of the service %[1]s holds characters that no header can have. Set it again: helve config set %[1]s %[2]s",
				c.service, howTo(c.scheme))
		}
		_, bare, _ := strings.Cut(values[0], " ")
		k.hide(bare)
	}
	k.hide(token)
	k.hide(password)
	return nil
}

// fieldsFor names the fields of an entry that a scheme takes, howTo how to set them.
func fieldsFor(s apidoc.Scheme) string {
	switch s.Type {
	case apidoc.Basic:
		return "user and password"
	case apidoc.Bearer:
		return "access_token or api_key"
	}
	return "api_key"
}

func howTo(s apidoc.Scheme) string {
	if s.Type == apidoc.Basic {
		return "user=USER --stdin password"
	}
	return "--stdin api_key"
}

// missing returns the error for a call that needs an account which there is not.
func (o *offer) missing(call *tool.Call, service string) error {
	whom := "for the tenant " + call.Tenant
	if call.User != "" {
		whom = "neither for " + call.User + " nor for the tenant " + call.Tenant
	}
	return tool.Fail(tool.NotConfigured,
		"The service %[1]q is not configured, %[2]s. The API %[3]s needs its key. Set it: helve config set %[1]s --type http base_url=%[4]s "+
			"--stdin %[5]s (with --user NAME for one person)",
		service, whom, o.api.Name, o.home.String(), o.field(service))
}

// field returns the secret field of the service that a call needs.
func (o *offer) field(service string) string {
	for _, way := range o.alternatives {
		for _, c := range way {
			if c.service == service && c.scheme.Type == apidoc.Basic {
				return "password user=USER"
			}
		}
	}
	return "api_key"
}
