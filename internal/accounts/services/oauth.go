package services

import (
	"encoding/json"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/tool"
)

// Fields of a registration: the entry of the tenant for a service whose accounts people
// connect.
const (
	FieldIssuer           = "issuer"
	FieldAuthorizationURL = "authorization_url"
	FieldTokenURL         = "token_url"
	FieldRevocationURL    = "revocation_url"
	FieldDeviceURL        = "device_url"
	FieldUserInfoURL      = "userinfo_url"
	FieldBaseURL          = "base_url"
	FieldClientID         = "client_id"
	FieldClientSecret     = "client_secret"
	FieldScopes           = "scopes"
	FieldTokenAuth        = "token_auth"
	FieldParams           = "authorization_params"
)

// provider returns the service of a name with accounts that people connect. The defaults
// are those of a preset.
func provider(name, title, description string, defaults map[string]string) tool.Service {
	address := func(name, description string) tool.ServiceField {
		return tool.ServiceField{Name: name, Type: tool.FieldURL, Description: description}
	}
	text := func(name, description string) tool.ServiceField {
		return tool.ServiceField{Name: name, Type: tool.FieldText, Description: description}
	}
	s := tool.Service{Name: name, Title: title, Description: description, Fields: []tool.ServiceField{
		text(FieldClientID, "The id of Helve at the provider."),
		text(FieldClientSecret, "The secret that belongs to it, if the provider gave one."),
		text(FieldScopes, "What the accounts may be used for, with spaces between."),
		address(FieldBaseURL, "The address that all requests with an account begin with."),
		address(FieldIssuer, "The provider, from whose metadata the other addresses are read."),
		address(FieldAuthorizationURL, "The page at which a person agrees."),
		address(FieldTokenURL, "Where tokens are issued."),
		address(FieldRevocationURL, "Where tokens are revoked."),
		address(FieldDeviceURL, "Where a terminal gets a code to connect an account with."),
		address(FieldUserInfoURL, "What is read to test an account."),
		text(FieldTokenAuth, "How Helve authenticates at token_url: in a header (basic) or in the body (post)."),
		text(FieldParams, "More parameters for authorization_url, as in a query string."),
	}}
	for i := range s.Fields {
		f := &s.Fields[i]
		f.Default = defaults[f.Name]
		switch f.Name {
		case FieldClientID:
			f.Required = true
		case FieldClientSecret:
			f.Secret = true
		case FieldTokenAuth:
			f.Options = []string{oauth.Basic, oauth.Post}
		}
	}
	return s
}

// checkProvider returns the first problem of the values of a registration.
func checkProvider(schema tool.Service, values map[string]string) error {
	full := effective(schema, values)
	for _, f := range schema.Fields {
		if f.Type == tool.FieldURL && full[f.Name] != "" && !oauth.Private(full[f.Name]) {
			return bad(f.Name, "must begin with https://; http:// is for addresses of this machine only, such as http://127.0.0.1:8080")
		}
	}
	switch {
	case full[FieldIssuer] == "" && full[FieldAuthorizationURL] == "":
		return bad(FieldIssuer, "is required, or authorization_url and token_url")
	case full[FieldIssuer] == "" && full[FieldTokenURL] == "":
		return bad(FieldTokenURL, "is required with authorization_url, unless issuer is set")
	}
	params, err := url.ParseQuery(full[FieldParams])
	if err != nil {
		return bad(FieldParams, "must be like access_type=offline&prompt=consent")
	}
	if name := oauth.Reserved(params); name != "" {
		return bad(FieldParams, "must not have "+name+", which Helve sets itself")
	}
	page, err := url.Parse(full[FieldAuthorizationURL])
	if err != nil {
		return bad(FieldAuthorizationURL, "must be an address")
	}
	if name := oauth.Reserved(page.Query()); name != "" {
		return bad(FieldAuthorizationURL, "must not have "+name+", which Helve sets itself")
	}
	return nil
}

// effective returns the values of a registration with the defaults of its preset. The
// addresses of a preset belong together: if a value names another provider, none of them
// is used.
func effective(schema tool.Service, values map[string]string) map[string]string {
	other := values[FieldIssuer] != "" || values[FieldAuthorizationURL] != "" || values[FieldTokenURL] != ""
	full := map[string]string{}
	for _, f := range schema.Fields {
		switch v := values[f.Name]; {
		case v != "":
			full[f.Name] = v
		case f.Default != "" && !(other && f.Name != FieldScopes):
			full[f.Name] = f.Default
		}
	}
	return full
}

// hosts returns HOST:PORT of each address in a registration that Helve itself requests.
func hosts(values map[string]string) []string {
	var all []string
	for _, name := range []string{FieldIssuer, FieldTokenURL, FieldRevocationURL, FieldDeviceURL, FieldUserInfoURL, FieldBaseURL} {
		u, err := url.Parse(values[name])
		if err != nil || u.Hostname() == "" {
			continue
		}
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		if at := net.JoinHostPort(u.Hostname(), port); !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}

// listed lets scopes be a list of texts: they become one, with spaces between.
func listed(fields map[string]json.RawMessage) map[string]json.RawMessage {
	var list []string
	raw, there := fields[FieldScopes]
	if !there || json.Unmarshal(raw, &list) != nil || list == nil {
		return fields
	}
	joined, err := json.Marshal(strings.Join(list, " "))
	if err != nil {
		return fields
	}
	all := make(map[string]json.RawMessage, len(fields))
	maps.Copy(all, fields)
	all[FieldScopes] = joined
	return all
}
