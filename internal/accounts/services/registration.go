package services

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
)

// Registration is the registration of a tenant at a provider.
type Registration struct {
	Service, Title string
	// Values are the values that are not secret, with the defaults of the preset.
	Values map[string]string
	// Secret is the client's secret; a [Reader] leaves it empty.
	Secret string
	// ID identifies the provider, the client and the addresses that tokens are sent to.
	ID string
}

// Hosts returns HOST:PORT of each address that the admin has set and Helve requests.
func (r *Registration) Hosts() []string { return hosts(r.Values) }

// Scopes returns the scopes to request.
func (r *Registration) Scopes() []string {
	return strings.FieldsFunc(r.Values[FieldScopes], func(c rune) bool { return c == ' ' || c == ',' })
}

// registered returns the registration in the public part of an entry, nil if it is another
// one or not active.
func (r *Registry) registered(service string, c public) *Registration {
	if c.Type != typeOAuth2 || !c.Active {
		return nil
	}
	schema, err := r.schema(service, typeOAuth2)
	if err != nil {
		return nil // declared as another service since
	}
	reg := &Registration{Service: service, Title: cmp.Or(schema.Title, service), Values: effective(schema, c.Values)}
	text, err := json.Marshal([]string{
		"helve registration", reg.Values[FieldIssuer], reg.Values[FieldAuthorizationURL], reg.Values[FieldTokenURL],
		reg.Values[FieldRevocationURL], reg.Values[FieldUserInfoURL], reg.Values[FieldBaseURL], reg.Values[FieldClientID],
	})
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(text)
	reg.ID = hex.EncodeToString(sum[:16])
	return reg
}

// Registered returns the services of a tenant that are known only by their registration at a
// provider, by name: people connect accounts of them as of those of a preset.
func (s *Store) Registered(ctx context.Context, tenant string) (list []protocol.Service, err error) {
	err = s.Bucket.LoadBelow(ctx, tenant+"."+ofTenant, func(key string, value []byte) {
		at, ok := placeOf(key)
		if _, c, err := read(value); !ok || err != nil || at.Label != DefaultLabel || s.Registry.registered(at.Service, c) == nil {
			return
		}
		if _, known := s.Registry.byName[at.Service]; known {
			return
		}
		if schema, err := s.Registry.schema(at.Service, typeOAuth2); err == nil {
			list = append(list, described(schema, typeOAuth2))
		}
	})
	slices.SortFunc(list, func(a, b protocol.Service) int { return cmp.Compare(a.Name, b.Name) })
	return list, err
}

// Registration returns the registration of a tenant at a service with its secret, or nil.
func (s *Store) Registration(ctx context.Context, tenant, service string) (*Registration, error) {
	at := vault.Place{Tenant: tenant, Service: service, Label: DefaultLabel}
	if err := checkPlace(at); err != nil {
		return nil, err
	}
	value, err := s.Bucket.Get(ctx, keyOf(at))
	if value == nil || err != nil {
		return nil, err
	}
	d, c, err := read(value)
	if err != nil {
		return nil, unsealed(at, err)
	}
	if c.Type != typeOAuth2 {
		return nil, nil
	}
	c, secrets, err := d.open(ctx, s.Keys, at)
	if err != nil {
		return nil, unsealed(at, err)
	}
	reg := s.Registry.registered(service, c)
	if reg != nil {
		reg.Values, reg.Secret = maps.Clone(reg.Values), secrets[FieldClientSecret]
	}
	return reg, nil
}
