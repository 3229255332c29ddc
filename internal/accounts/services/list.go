package services

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Filter selects entries of a tenant.
type Filter struct {
	// User is a person whose entries are selected; with All set, those of the tenant and
	// of every person.
	User string
	All  bool
	// Service selects one service, if it is not empty.
	Service string
}

// List returns entries, by service, user and label. An entry that cannot be read is shown
// without fields.
func (s *Store) List(ctx context.Context, tenant string, f Filter) ([]protocol.StoredService, error) {
	entries := []protocol.StoredService{}
	err := s.each(ctx, tenant, f, func(at vault.Place, value []byte) error {
		d, c, err := read(value)
		if err != nil {
			d, c = document{}, public{}
		}
		entries = append(entries, s.shown(at, d, c))
		return nil
	})
	slices.SortFunc(entries, func(a, b protocol.StoredService) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.User, b.User), cmp.Compare(a.Label, b.Label))
	})
	return entries, err
}

// each calls do with the selected entries of a tenant, or with all entries if it is empty.
func (s *Store) each(ctx context.Context, tenant string, f Filter, do func(at vault.Place, value []byte) error) error {
	prefix := tenant
	if tenant != "" && !f.All {
		prefix = tenant + "." + ofUser + "." + f.User
	}
	var errs []error
	err := s.Bucket.LoadBelow(ctx, prefix, func(key string, value []byte) {
		at, ok := placeOf(key)
		if !ok || f.Service != "" && at.Service != f.Service {
			return
		}
		if err := do(at, value); err != nil {
			errs = append(errs, err)
		}
	})
	return errors.Join(err, errors.Join(errs...))
}

// DeleteAll removes the entries of a person and returns their number.
func (s *Store) DeleteAll(ctx context.Context, tenant, user string) (n int, err error) {
	var all []vault.Place
	if err := s.each(ctx, tenant, Filter{User: user}, func(at vault.Place, _ []byte) error {
		all = append(all, at)
		return nil
	}); err != nil {
		return 0, err
	}
	for _, at := range all {
		done, err := s.Delete(ctx, at, func() error { return nil })
		if err != nil {
			return n, err
		}
		if done {
			n++
		}
	}
	return n, nil
}

// State counts the entries by their master keys.
type State struct {
	// Current is the id of the key that protects new entries; empty if there is none.
	Current string
	// Entries is the number of all entries, Old of those under another key than Current,
	// and Lost of those that cannot be decrypted.
	Entries, Old, Lost int
}

// State examines the entries of all tenants.
func (s *Store) State(ctx context.Context) (State, error) {
	var state State
	state.Current, _ = s.Keys.Current(ctx) // without a key it is empty
	return state, s.each(ctx, "", Filter{All: true}, func(at vault.Place, value []byte) error {
		state.Entries++
		d, _, err := read(value)
		if err == nil {
			_, _, err = d.open(ctx, s.Keys, at)
		}
		switch {
		case err != nil:
			state.Lost++
		case d.Sealed.Key.KeyID != state.Current:
			state.Old++
		}
		return nil
	})
}

// Rotate protects the entries of all tenants with the current master key. It may be
// interrupted and repeated at any time: each entry is under one of the keys.
func (s *Store) Rotate(ctx context.Context) (done protocol.ServicesRotated, err error) {
	if done.KeyID, err = s.Keys.Current(ctx); err != nil {
		return done, tool.Fail(tool.NotConfigured,
			"the dispatcher has no master key to protect entries with: start it with --secrets-key FILE (helve config key makes a key)").Because(err)
	}
	var keys []vault.Place
	if err := s.each(ctx, "", Filter{All: true}, func(at vault.Place, _ []byte) error {
		keys = append(keys, at)
		return nil
	}); err != nil {
		return done, err
	}
	for _, at := range keys {
		changed, err := s.rotate(ctx, at)
		switch {
		case errors.Is(err, vault.ErrDamaged), isMissing(err):
			done.Left++
		case err != nil:
			return done, err
		case changed:
			done.Rotated++
		}
	}
	return done, nil
}

func isMissing(err error) bool {
	_, ok := errors.AsType[*vault.MissingKeyError](err)
	return ok
}

func (s *Store) rotate(ctx context.Context, at vault.Place) (bool, error) {
	for range races {
		old, err := s.Bucket.Get(ctx, keyOf(at))
		if err != nil || old == nil {
			return false, err
		}
		d, _, err := read(old)
		if err != nil {
			return false, err
		}
		sealed, changed, err := vault.Rewrap(ctx, s.Keys, at, d.Sealed)
		if err != nil || !changed {
			return false, err
		}
		d.Sealed = sealed
		value, err := encode(d)
		if err != nil {
			return false, err
		}
		if err = s.Bucket.Replace(ctx, keyOf(at), old, value); !errors.Is(err, natsio.ErrExists) {
			return err == nil, err
		}
	}
	return false, natsio.ErrExists
}
