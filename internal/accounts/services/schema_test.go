package services

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/tools/accounts"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestAccountsAreValid: the services of the built-in tools and the presets are accepted, each
// once, and listed with those that stand for services of other names.
func TestAccountsAreValid(t *testing.T) {
	t.Parallel()
	r, err := NewRegistry(accounts.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, known := r.Lookup("openai"); !known || len(r.List()) != len(accounts.All())+len(presets())+3 {
		t.Errorf("List = %v", r.List())
	}
	for _, kind := range []string{typeHTTP, typeCustom, typeOAuth2} {
		at := slices.IndexFunc(r.List(), func(s protocol.Service) bool { return s.Name == kind })
		if at < 0 || r.List()[at].Type != kind || r.List()[at].Description == "" || r.List()[at].Shared != (kind == typeOAuth2) {
			t.Errorf("%s is not listed as it should be: %+v", kind, r.List())
		}
	}
	for _, name := range []string{"shell", "cli_tools", "npm", "coding_agents"} {
		if s, _ := r.Lookup(name); !s.Shared {
			t.Errorf("a person may set %s, which decides what tools may do", name)
		}
	}
}

func TestReadDeclared(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "types.yaml")
	read := func(text string) (*Registry, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		declared, err := ReadDeclared(path)
		if err != nil {
			return nil, err
		}
		return NewRegistry([]tool.Service{{Name: "taken", Fields: []tool.ServiceField{{Name: "a", Type: tool.FieldText}}}}, declared)
	}
	r, err := read(`
- name: crm
  shared: true
  fields:
    - {name: base_url, type: url, required: true}
    - {name: token, secret: true}
  test: {url: "{base_url}/ping", header: {X-Token: "{token}"}}
`)
	if err != nil {
		t.Fatal(err)
	}
	if s, known := r.Lookup("crm"); !known || !s.Shared || s.Fields[1].Type != tool.FieldText || !s.Fields[1].Secret ||
		r.List()[0].Type != typeDeclared {
		t.Errorf("crm = %+v", s)
	}
	for text, want := range map[string]string{
		"- {name: a.b, fields: [{name: x}]}":                                              "name must match",
		"- {name: taken, fields: [{name: x}]}":                                            "declared twice",
		"- {name: s}":                                                                     "1 to 64 fields",
		"- {name: s, fields: [{name: x}, {name: x}]}":                                     "there twice",
		"- {name: s, fields: [{name: x, type: blob}]}":                                    "must be text, url",
		"- {name: s, fields: [{name: x, secret: true, default: y}]}":                      "cannot have a default",
		"- {name: s, fields: [{name: x, options: [a], default: b}]}":                      "not one of its values",
		"- {name: s, fields: [{name: x}], test: {url: '{y}'}}":                            "not a field",
		"- {name: s, fields: [{name: x, secret: true}], test: {url: 'https://h/?k={x}'}}": "would be logged",
		"- {name: s, fields: [{name: x}], test: {url: 'https://h', method: DELETE}}":      "GET, HEAD or POST",
		"- {name: s, fields: [{name: x}], sekret: true}":                                  "sekret",
		"name: s": "want a list",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if list, err := ReadDeclared(""); err != nil || list != nil {
		t.Errorf("ReadDeclared of nothing = %v, %v", list, err)
	}
}

// TestRequest: the request of a test follows from the declaration and the entry.
func TestRequest(t *testing.T) {
	t.Parallel()
	test := tool.ServiceTest{
		URL:      "{base_url}/ping",
		Bearer:   "token",
		User:     "user",
		Password: "password",
		Header:   map[string]string{"X-Region": "{region}"},
	}
	for name, tt := range map[string]struct {
		data map[string]string
		want string
	}{
		"bearer": {map[string]string{"base_url": "https://h/v1/", "token": "k", "user": "u"}, "GET https://h/v1/ping Bearer k"},
		"basic":  {map[string]string{"base_url": "https://h", "user": "u", "password": "p"}, "GET https://h/ping Basic dTpw"},
		"none":   {map[string]string{"base_url": "https://h"}, "GET https://h/ping "},
		"no url": {map[string]string{}, "the entry has no usable address"},
		"file":   {map[string]string{"base_url": "file:///etc"}, "the entry has no usable address"},
	} {
		var got string
		req, err := request(t.Context(), test, tt.data)
		if err != nil {
			got = err.Error()
		} else {
			got = req.Method + " " + req.URL.String() + " " + req.Header.Get("Authorization")
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
