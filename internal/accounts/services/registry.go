package services

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/lib/nearest"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Types of services.
const (
	typeBuiltin  = "builtin"
	typeDeclared = "declared"
	typeHTTP     = "http"
	typeCustom   = "custom"
	// typeOAuth2 is a registration, typeAccount the account of a person at a service with
	// one.
	typeOAuth2  = "oauth2"
	typeAccount = "account"
)

// Registry holds the services that are known by name.
type Registry struct {
	byName map[string]tool.Service
	kind   map[string]string
}

// NewRegistry returns a registry of the services of tools and of those that the operator
// declares. The error names the invalid service.
func NewRegistry(builtin, declared []tool.Service) (*Registry, error) {
	r := &Registry{byName: map[string]tool.Service{}, kind: map[string]string{}}
	for _, s := range builtin {
		if err := r.add(typeBuiltin, s); err != nil {
			return nil, err
		}
	}
	for _, s := range declared {
		if err := r.add(typeDeclared, s); err != nil {
			return nil, err
		}
	}
	for _, s := range presets() {
		if _, taken := r.byName[s.Name]; taken {
			continue // the operator's own service of that name
		}
		if err := r.add(typeOAuth2, s); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Registry) add(kind string, s tool.Service) error {
	if err := checkSchema(s); err != nil {
		return fmt.Errorf("service %.64q: %w", s.Name, err)
	}
	if _, taken := r.byName[s.Name]; taken {
		return fmt.Errorf("service %q is declared twice", s.Name)
	}
	r.byName[s.Name], r.kind[s.Name] = s, kind
	return nil
}

// Lookup returns the service of a name whose fields tools know.
func (r *Registry) Lookup(name string) (tool.Service, bool) {
	s, known := r.byName[name]
	if r.kind[name] == typeOAuth2 {
		return tool.Service{}, false // an entry of that name may have another type
	}
	return s, known
}

// List returns all services, by name, and those that stand for services of other names.
func (r *Registry) List() []protocol.Service {
	list := make([]protocol.Service, 0, len(r.byName)+3)
	for name, s := range r.byName {
		list = append(list, described(s, r.kind[name]))
	}
	for _, kind := range []string{typeHTTP, typeCustom, typeOAuth2} {
		if _, taken := r.byName[kind]; taken {
			continue
		}
		s, _ := r.schema(kind, kind)
		s.Title, s.Description = "", ofOwnName[kind]
		s.Shared = kind == typeOAuth2 // a registration is the tenant's
		list = append(list, described(s, kind))
	}
	slices.SortFunc(list, func(a, b protocol.Service) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// ofOwnName describes the kinds of services whose name an admin or a person chooses.
var ofOwnName = map[string]string{
	typeHTTP:   "An HTTP API of your own, under a name that you choose.",
	typeCustom: "Secrets of your own, under a name that you choose, for scripts.",
	typeOAuth2: "A provider of your own, under a name that you choose, where people connect their accounts.",
}

func described(s tool.Service, kind string) protocol.Service {
	return protocol.Service{
		Name: s.Name, Type: kind, Title: s.Title, Description: s.Description, Shared: s.Shared,
		Testable: s.Test != nil || kind == typeOAuth2, Fields: s.Fields,
	}
}

// schema returns the service of an entry: the known one, or of another name one of the
// type http, custom or oauth2. The name of a preset may also be of the other types.
func (r *Registry) schema(name, kind string) (tool.Service, error) {
	preset := r.kind[name] == typeOAuth2
	if s, known := r.byName[name]; known && !(preset && (kind == typeHTTP || kind == typeCustom)) {
		if kind != "" && kind != r.kind[name] {
			return s, tool.Fail(tool.ValidationError, "the service %s is known and takes no type; leave type out", name)
		}
		return s, nil
	}
	switch kind {
	case typeHTTP:
		return generic(name), nil
	case typeCustom:
		return tool.Service{Name: name}, nil
	case typeOAuth2:
		return provider(name, name, "", nil), nil
	case "":
		return tool.Service{}, tool.Fail(tool.NotFound,
			"there is no service %s%s; for a service of your own set type to http (base_url, api_key, user, password), custom (any fields) or "+
				"oauth2 (accounts that people connect)",
			name, r.meant(name))
	}
	return tool.Service{}, tool.Fail(tool.ValidationError, "type must be http, custom or oauth2, but it is %.40q", kind)
}

// kindOf returns the stored type of an entry: that of the request for a service that is not
// known by its name, and oauth2 for each registration.
func (r *Registry) kindOf(name, kind string) string {
	switch r.kind[name] {
	case "":
		return kind
	case typeOAuth2:
		if kind == "" {
			return typeOAuth2
		}
		return kind
	}
	return ""
}

// meant returns a hint at the known name that is close to name.
func (r *Registry) meant(name string) string {
	names := make([]string, 0, len(r.byName))
	for known := range r.byName {
		names = append(names, known)
	}
	return hint(name, names)
}

// hint returns ", did you mean …?" for the nearest of names, or nothing.
func hint(name string, names []string) string {
	slices.Sort(names)
	best, least := "", min(len(name)/2, 3)+1
	for _, other := range names {
		if d := nearest.Distance(name, other, least); d < least {
			best, least = other, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// generic returns the service of any name that is reached over HTTP.
func generic(name string) tool.Service {
	return tool.Service{
		Name: name, Title: name,
		Fields: []tool.ServiceField{
			{Name: "base_url", Type: tool.FieldURL, Required: true, Description: "The address that all requests begin with."},
			{Name: "api_key", Type: tool.FieldText, Secret: true, Description: "The key, sent as bearer token."},
			{Name: "user", Type: tool.FieldText, Description: "The user of basic authentication."},
			{Name: "password", Type: tool.FieldText, Secret: true, Description: "The password of basic authentication."},
		},
		Test: &tool.ServiceTest{URL: "{base_url}", Bearer: "api_key", User: "user", Password: "password"},
	}
}
