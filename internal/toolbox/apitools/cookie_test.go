package apitools

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

const cookieAPI = `
  /c:
    get:
      operationId: get
      parameters:
        - {name: theme, in: cookie, schema: {type: string}}
        - {name: ids, in: cookie, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: sid, in: cookie, schema: {type: string}}
      security: [{session: []}]
components: {securitySchemes: {session: {type: apiKey, in: cookie, name: sid}}}
`

// TestCookies: parameters and keys in cookies are sent, in one header, and no argument can
// add a cookie or replace the key.
func TestCookies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cookieAPI, func(a *API) { a.Service.All = "shop" })
	w.entry("shop", map[string]string{"api_key": "s3cr%t-key"})
	if s := string(w.offers["get"].def.Parameters); strings.Contains(s, "sid") || !strings.Contains(s, "theme") {
		t.Errorf("the parameters are %s", s)
	}
	if _, err := w.call("get", `{"theme": "dark; sid=x \u00e9\"", "ids": [1, 2]}`); err != nil {
		t.Fatal(err)
	}
	if got, want := w.last().header["Cookie"], "theme=dark%3B%20sid=x%20%C3%A9%22; ids=1,2; sid=s3cr%t-key"; len(got) != 1 || got[0] != want {
		t.Errorf("the cookies are %q, want %q", got, want)
	}
	w.answers(200, "application/json", `{"you": "s3cr%t-key"}`)
	if res, err := w.call("get", `{}`); err != nil || strings.Contains(string(res.Value), "s3cr") {
		t.Errorf("the answer shows the key: %s, %v", res.Value, err)
	}
	w.entry("shop", map[string]string{"api_key": "a;b=c"})
	_, err := w.call("get", `{}`)
	wantError(t, "a key that no cookie can hold", err, tool.NotConfigured, "no cookie can have")
}

// TestUnsupportedSecurity: an operation that only an unsupported scheme authorizes is left out
// and named, whatever services are bound; one with another way is offered.
func TestUnsupportedSecurity(t *testing.T) {
	t.Parallel()
	const text = `openapi: 3.1.0
info: {title: T, version: '1'}
servers: [{url: http://api.example.com}]
paths:
  /tls: {get: {operationId: tls, security: [{cert: []}]}}
  /both: {get: {operationId: both, security: [{key: [], cert: []}]}}
  /undefined: {get: {operationId: undefined, security: [{nope: []}]}}
  /many: {get: {operationId: many, security: [{a: [], b: [], c: [], d: [], e: [], f: [], g: [], h: [], key: []}]}}
  /either: {get: {operationId: either, security: [{cert: []}, {key: []}]}}
  /optional: {get: {operationId: optional, security: [{cert: []}, {}]}}
  /open: {get: {operationId: open, security: []}}
components: {securitySchemes: {cert: {type: mutualTLS}, key: {type: apiKey, in: header, name: X-Key}}}
`
	for _, service := range []string{"", "shop"} {
		api := API{Name: "a", Document: "a.yaml"}
		api.Service.All = service
		d := document{api: api}
		if err := d.fill([]byte(text), "default"); err != nil {
			t.Fatal(err)
		}
		var offered []string
		for _, o := range d.offers {
			offered = append(offered, o.op.ID)
		}
		if got := strings.Join(offered, " "); got != "either open optional" {
			t.Errorf("with the service %q are offered: %s", service, got)
		}
		for _, name := range []string{"tls", "both", "undefined", "many"} {
			found := false
			for _, p := range d.problems {
				found = found || strings.HasPrefix(p.Reason, name+": the operation is left out: it needs the security scheme")
			}
			if !found {
				t.Errorf("%s is not named in %+v", name, d.problems)
			}
		}
	}
}
