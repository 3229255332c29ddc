package store

import (
	"context"
	"strconv"
)

// Version names one version of one tool, whatever name it has.
type Version struct {
	ID     string
	Number int
}

// Share offers a version of a person's tool to the tenant, in place of the version of the
// same tool that was shared before. A zero version means the current one; any other version
// that is no longer current is a Conflict, and so is a name under which another tool is
// shared.
func (s *Store) Share(ctx context.Context, tenant, owner, name string, v Version, by string) (*Entry, error) {
	for range tries {
		own, err := s.OfOwner(ctx, tenant, owner, name)
		switch {
		case err != nil:
			return nil, err
		case own == nil:
			return nil, noTool(name)
		case v.Number != 0 && v.Number != own.Tool.Version || v.ID != "" && v.ID != own.Tool.ID:
			return nil, fail(Conflict, "version %d of '%s' is not the current one any more, which is %d; look at that one and share it",
				v.Number, name, own.Tool.Version)
		case !own.Tool.Enabled:
			return nil, fail(Conflict, "'%s' is switched off; its owner must switch it on before it can be shared", name)
		}
		done, err := s.put(ctx, tenant, own.Entry, by)
		if err != nil {
			return nil, err
		}
		if done != nil {
			return done, s.orphaned(ctx, own)
		}
	}
	return nil, busy(name)
}

// put stores the shared copy of an entry; nil means that a concurrent change came first.
func (s *Store) put(ctx context.Context, tenant string, own *Entry, by string) (*Entry, error) {
	there, err := s.Get(ctx, Shared(tenant, own.Tool.Name))
	if err != nil {
		return nil, err
	}
	if there != nil && there.Tool.ID != own.Tool.ID {
		return nil, fail(Conflict,
			"a tool of %s is shared under the name '%s'; choose another name, or let an approver or admin take that one back first",
			there.Tool.Owner, own.Tool.Name)
	}
	if there != nil && there.Tool.Version == own.Tool.Version {
		return there.Entry, nil
	}
	if there != nil && there.Tool.Version > own.Tool.Version {
		return nil, nil // the tool was changed and shared since it was read
	}
	next := *own
	next.SharedBy, next.SharedAt = by, s.now()
	value, err := next.Encode()
	if err != nil {
		return nil, err
	}
	key := Shared(tenant, own.Tool.Name).Key()
	if there == nil {
		err = s.Bucket.Create(ctx, key, value)
	} else {
		err = s.Bucket.Replace(ctx, key, there.Value, value)
	}
	switch {
	case err == nil:
		return &next, nil
	case s.Exists(err):
		return nil, nil
	}
	return nil, err
}

// orphaned removes the shared version again if its owner deleted the tool during Share:
// Delete looks for a shared version after it has removed the tool.
func (s *Store) orphaned(ctx context.Context, own *Found) error {
	now, err := s.Get(ctx, own.Place)
	if err != nil || now != nil && now.Tool.ID == own.Tool.ID {
		return err
	}
	if err := s.Bucket.Delete(ctx, Shared(own.Place.Tenant, own.Place.Name).Key()); err != nil {
		return err
	}
	return noTool(own.Place.Name)
}

// Unshare removes the shared version. The owner's tool remains.
func (s *Store) Unshare(ctx context.Context, tenant, name string) error {
	there, err := s.Get(ctx, Shared(tenant, name))
	if err != nil {
		return err
	}
	if there == nil {
		return fail(NotFound, "no tool is shared under the name '%.64s'", name)
	}
	return s.Bucket.Delete(ctx, there.Place.Key())
}

func version(n int) string { return strconv.Itoa(n) }
