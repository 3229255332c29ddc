package services

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Bucket stores the entries.
type Bucket interface {
	Create(ctx context.Context, key string, value []byte) error
	Replace(ctx context.Context, key string, old, value []byte) error
	Get(ctx context.Context, key string) ([]byte, error)
	DeleteIf(ctx context.Context, key string, old []byte) (bool, error)
	LoadBelow(ctx context.Context, prefix string, have func(key string, value []byte)) error
}

var _ Bucket = (*natsio.Bucket)(nil)

// Store changes the entries. Its errors for a caller are of type [*tool.Error].
type Store struct {
	Bucket   Bucket
	Keys     vault.Wrapper
	Registry *Registry
}

// races bounds the attempts to change an entry that others change too.
const races = 20

// Set stores an entry and returns it. Allowed is called before the entry is written, with
// the names of its fields.
func (s *Store) Set(
	ctx context.Context, at vault.Place, r protocol.ServiceSet, by string, allowed func(fields []string) error,
) (protocol.StoredService, error) {
	if err := checkPlace(at); err != nil {
		return protocol.StoredService{}, err
	}
	if _, err := s.Keys.Current(ctx); err != nil {
		return protocol.StoredService{}, unsealed(at, err)
	}
	once := false
	for range races {
		old, err := s.Bucket.Get(ctx, keyOf(at))
		if err != nil {
			return protocol.StoredService{}, err
		}
		value, stored, err := s.next(ctx, at, r, by, old)
		if err != nil {
			return stored, err
		}
		if !once {
			once = true
			if err := allowed(slices.Sorted(maps.Keys(stored.Fields))); err != nil {
				return stored, err
			}
		}
		if old == nil {
			err = s.Bucket.Create(ctx, keyOf(at), value)
		} else {
			err = s.Bucket.Replace(ctx, keyOf(at), old, value)
		}
		if !errors.Is(err, natsio.ErrExists) {
			return stored, err
		}
	}
	return protocol.StoredService{}, tool.Fail(tool.Overloaded, "the entry %s of %s is being changed by others; try again",
		at.Label, at.Service)
}

// divide stores the values in the clear, and returns those that are to be encrypted.
func (c *public) divide(schema tool.Service, values map[string]string) (secrets map[string]string) {
	c.Values, secrets = map[string]string{}, map[string]string{}
	for name, v := range values {
		if f, _ := fieldOf(schema, name); f.Secret {
			secrets[name] = v
			c.Secrets = append(c.Secrets, name)
		} else {
			c.Values[name] = v
		}
	}
	slices.Sort(c.Secrets)
	return secrets
}

// next returns the bytes of an entry after a change, and what people see of it.
func (s *Store) next(
	ctx context.Context, at vault.Place, r protocol.ServiceSet, by string, old []byte,
) (value []byte, stored protocol.StoredService, err error) {
	if err := noAccount(at, old); err != nil {
		return nil, stored, err
	}
	before := version{public: public{Active: true}}
	if old != nil && (r.Merge || keeps(r.Fields)) {
		if before, err = s.opened(ctx, at, old); err != nil {
			return nil, stored, err
		}
	}
	after := version{public: public{Type: r.Type, Active: true, At: time.Now().UTC().Truncate(time.Second), By: by}}
	if r.Merge {
		after.Type, after.Active = cmp.Or(r.Type, before.Type), before.Active
	}
	if r.Active != nil {
		after.Active = *r.Active
	}
	if r.Type == "" {
		after.Type = s.Registry.kindOf(at.Service, after.Type)
	}
	schema, err := s.Registry.schema(at.Service, after.Type)
	if err != nil {
		return nil, stored, err
	}
	if err := s.fill(&after, at, schema, before, r); err != nil {
		return nil, stored, err
	}
	secrets := after.divide(schema, after.values)
	return s.sealed(ctx, at, after.public, secrets)
}

// fill stores the values of an entry after a change.
func (s *Store) fill(after *version, at vault.Place, schema tool.Service, before version, r protocol.ServiceSet) (err error) {
	if schema.Shared && at.User != "" {
		return tool.Fail(tool.PermissionDenied,
			"the service %s decides what tools may do, so only an admin sets it, for the whole tenant: leave user out", at.Service)
	}
	changes := r.Fields
	if after.Type == typeOAuth2 {
		if err := ofTenantOnly(at); err != nil {
			return err
		}
		changes = listed(changes)
	}
	var kept []string
	if after.values, kept, err = apply(schema, before.values, changes, r.Merge); err != nil {
		return err
	}
	if after.Type == typeOAuth2 {
		if err := checkProvider(schema, after.values); err != nil {
			return err
		}
	}
	after.Type = s.Registry.kindOf(at.Service, after.Type)
	if after.Bound, err = boundTo(after.Type, schema); err != nil {
		return err
	}
	kept = slices.DeleteFunc(kept, func(name string) bool { return !slices.Contains(before.Secrets, name) })
	return s.Registry.moved(schema, before, *after, kept)
}

// opened returns a stored entry with all its values.
func (s *Store) opened(ctx context.Context, at vault.Place, value []byte) (v version, err error) {
	d, _, err := read(value)
	if err != nil {
		return v, unsealed(at, err)
	}
	c, secrets, err := d.open(ctx, s.Keys, at)
	if err != nil {
		return v, unsealed(at, err)
	}
	v = version{public: c, values: map[string]string{}}
	maps.Copy(v.values, c.Values)
	maps.Copy(v.values, secrets)
	return v, nil
}

// sealed returns the bytes of an entry, and what people see of it.
func (s *Store) sealed(
	ctx context.Context, at vault.Place, c public, secrets map[string]string,
) (value []byte, stored protocol.StoredService, err error) {
	var d document
	if d.Clear, err = json.Marshal(c); err != nil {
		return nil, stored, err
	}
	if d.Sealed, err = vault.Seal(ctx, s.Keys, at, d.Clear, secrets); err != nil {
		return nil, stored, unsealed(at, err)
	}
	value, err = encode(d)
	return value, s.shown(at, d, c), err
}

// keeps reports whether a change keeps a stored value.
func keeps(changes map[string]json.RawMessage) bool {
	for name, raw := range changes {
		if c, err := changeOf(name, raw); err == nil && c.keep {
			return true
		}
	}
	return false
}

// shown returns what people see of an entry.
func (s *Store) shown(at vault.Place, d document, c public) protocol.StoredService {
	e := protocol.StoredService{
		Service: at.Service,
		Label:   at.Label,
		User:    at.User,
		Type:    c.Type,
		Active:  c.Active,
		Fields:  map[string]json.RawMessage{},
		At:      c.At,
		By:      c.By,
		KeyID:   d.Sealed.Key.KeyID,
	}
	schema, _ := s.Registry.schema(at.Service, c.Type) // of a service that is no longer declared all fields are text
	for name, v := range c.Values {
		f, _ := schema.Field(name)
		e.Fields[name] = shown(f, v)
	}
	for _, name := range c.Secrets {
		e.Fields[name] = shown(tool.ServiceField{Secret: true}, "")
	}
	return e
}

// Delete removes an entry and reports whether it was there. Allowed is called before.
func (s *Store) Delete(ctx context.Context, at vault.Place, allowed func() error) (bool, error) {
	if err := checkPlace(at); err != nil {
		return false, err
	}
	for once := false; ; once = true {
		old, err := s.Bucket.Get(ctx, keyOf(at))
		if err != nil || old == nil {
			return false, err
		}
		if !once {
			if err := allowed(); err != nil {
				return false, err
			}
		}
		if done, err := s.Bucket.DeleteIf(ctx, keyOf(at), old); done || err != nil {
			return done, err
		}
	}
}

// unsealed returns the error for an entry that cannot be encrypted or decrypted: what is
// wrong, with whose entry, and what mends it.
func unsealed(at vault.Place, err error) error {
	entry := fmt.Sprintf("The entry %s of the service %s (of %s)", at.Label, at.Service, cmp.Or(at.User, "everybody in the tenant "+at.Tenant))
	missing, isMissing := errors.AsType[*vault.MissingKeyError](err)
	switch {
	case isMissing:
		return tool.Fail(tool.NotConfigured,
			"%s cannot be decrypted: it is protected by the master key %.40s, which this process does not have. "+
				"The operator adds that key to the file of --secrets-key, or sets the entry again: helve config set %s %s --replace --stdin FIELD",
			entry, missing.KeyID, at.Service, at.Label)
	case errors.Is(err, vault.ErrNoKey):
		return tool.Fail(tool.NotConfigured,
			"%s needs the master key, and no master key is configured here. The operator starts the program with --secrets-key FILE; "+
				"helve config key makes a key",
			entry)
	case errors.Is(err, vault.ErrDamaged):
		return tool.Fail(tool.NotConfigured,
			"%s was changed or moved outside of Helve, so it is not used. The operator sets it again: "+
				"helve config set %s %s --replace --stdin FIELD",
			entry, at.Service, at.Label)
	}
	return err
}
