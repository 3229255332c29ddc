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

// Lookup returns the service of a name.
func (r *Registry) Lookup(name string) (tool.Service, bool) {
	s, known := r.byName[name]
	return s, known
}

// List returns all services, by name.
func (r *Registry) List() []protocol.Service {
	list := make([]protocol.Service, 0, len(r.byName))
	for name, s := range r.byName {
		list = append(list, described(s, r.kind[name]))
	}
	slices.SortFunc(list, func(a, b protocol.Service) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func described(s tool.Service, kind string) protocol.Service {
	return protocol.Service{
		Name: s.Name, Type: kind, Title: s.Title, Description: s.Description, Shared: s.Shared,
		Testable: s.Test != nil, Fields: s.Fields,
	}
}

// schema returns the service of an entry: the known one, or of another name one of the
// type http or custom.
func (r *Registry) schema(name, kind string) (tool.Service, error) {
	if s, known := r.byName[name]; known {
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
	case "":
		return tool.Service{}, tool.Fail(tool.NotFound, "there is no service %s%s; for a service of your own set type to http (base_url, api_key, user, password) or custom (any fields)", name, r.meant(name))
	}
	return tool.Service{}, tool.Fail(tool.ValidationError, "type must be http or custom, but it is %.40q", kind)
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
