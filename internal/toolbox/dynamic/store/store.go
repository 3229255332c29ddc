package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Bucket is where tools are stored. The errors of Create and Replace for a changed value
// are recognized by Exists.
type Bucket interface {
	Get(ctx context.Context, key string) ([]byte, error)
	Create(ctx context.Context, key string, value []byte) error
	Replace(ctx context.Context, key string, old, value []byte) error
	Delete(ctx context.Context, key string) error
	// History calls have for the kept values of a key, the oldest first.
	History(ctx context.Context, key string, have func(value []byte)) error
	// LoadBelow calls have for every key that begins with prefix and a dot.
	LoadBelow(ctx context.Context, prefix string, have func(key string, value []byte)) error
	// Follow calls change for every stored value and then for each change, until ctx ends;
	// a nil value means deleted. It returns when all values stored now were passed.
	Follow(ctx context.Context, change func(key string, value []byte)) error
}

// Store reads and changes stored tools. Errors for callers are of type [*Error].
type Store struct {
	Bucket Bucket
	// Exists reports whether an error of the bucket means that another value is stored.
	Exists func(error) bool
	Now    func() time.Time
}

// Found is a stored tool with its place and revision.
type Found struct {
	*Entry
	Place Place
	Value []byte
}

// tries bounds how often a change is repeated after a concurrent change.
const tries = 10

// Get returns the tool stored at a place; nil if there is none. A value that cannot be read
// is an error.
func (s *Store) Get(ctx context.Context, p Place) (*Found, error) {
	if !toolName.MatchString(p.Name) || p.Owner != "" && !word.MatchString(p.Owner) {
		return nil, nil
	}
	value, err := s.Bucket.Get(ctx, p.Key())
	if value == nil || err != nil {
		return nil, err
	}
	e, _, err := Decode(p.Key(), value)
	if err != nil {
		return nil, err
	}
	return &Found{e, p, value}, nil
}

// OfOwner returns a person's own tool; nil if they have none of that name.
func (s *Store) OfOwner(ctx context.Context, tenant, owner, name string) (*Found, error) {
	if owner == "" {
		return nil, nil
	}
	return s.Get(ctx, Own(tenant, owner, name))
}

// All returns every tool of a tenant by name and owner, shared versions after the tools
// they are copies of, without their code. Unreadable tools are left out.
func (s *Store) All(ctx context.Context, tenant string) ([]Found, error) {
	var list []Found
	err := s.Bucket.LoadBelow(ctx, tenant, func(key string, value []byte) {
		if e, p, err := Decode(key, value); err == nil && p.Tenant == tenant {
			e.Tool.Code = ""
			list = append(list, Found{e, p, nil})
		}
	})
	slices.SortFunc(list, func(a, b Found) int {
		return strings.Compare(a.order(), b.order())
	})
	return list, err
}

func (f *Found) order() string {
	order := f.Tool.Name + "\n" + f.Tool.Owner
	if f.Place.Shared {
		order += "\nshared"
	}
	return order
}

// Toggle switches a tool on or off and returns it as stored.
func (s *Store) Toggle(ctx context.Context, tenant, owner, name string, enabled bool) (tool.CustomTool, error) {
	for range tries {
		f, err := s.OfOwner(ctx, tenant, owner, name)
		switch {
		case err != nil:
			return tool.CustomTool{}, err
		case f == nil:
			return tool.CustomTool{}, noTool(name)
		case f.Tool.Enabled == enabled:
			return f.Tool, nil
		}
		f.Tool.Enabled, f.Tool.UpdatedAt = enabled, s.now()
		f.Tool.Version++
		f.Definition.Enabled, f.Definition.Version = enabled, version(f.Tool.Version)
		value, err := f.Encode()
		if err != nil {
			return tool.CustomTool{}, err
		}
		if err = s.Bucket.Replace(ctx, f.Place.Key(), f.Value, value); err == nil {
			return f.Tool, nil
		}
		if !s.Exists(err) {
			return tool.CustomTool{}, err
		}
	}
	return tool.CustomTool{}, busy(name)
}

// Delete removes a person's tool, and the version of it that was shared.
func (s *Store) Delete(ctx context.Context, tenant, owner, name string) error {
	f, err := s.OfOwner(ctx, tenant, owner, name)
	if err != nil {
		return err
	}
	if f == nil {
		return noTool(name)
	}
	if err := s.Bucket.Delete(ctx, f.Place.Key()); err != nil {
		return err
	}
	shared, err := s.Get(ctx, Shared(tenant, name))
	if err != nil || shared == nil || shared.Tool.ID != f.Tool.ID {
		return err
	}
	return s.Bucket.Delete(ctx, shared.Place.Key())
}

func (s *Store) now() time.Time {
	if s.Now != nil {
		return s.Now().UTC()
	}
	return time.Now().UTC()
}

func busy(name string) error {
	return fail(Conflict, "others keep changing '%.64s'; try again", name)
}
