package store

import (
	"bytes"
	"context"
	"errors"
	"regexp"

	"github.com/helve-dev/helve/tool"
)

// Imported counts the items of an import.
type Imported struct {
	Added    int `json:"added"`
	Replaced int `json:"replaced"`
	// Kept counts the items whose id is taken, by an equal document or, without
	// replace, by another one.
	Kept int `json:"kept"`
}

// maxImport bounds the items of one [Store.Import].
const maxImport = 10_000

// importTries bounds how often an import is tried when a call changes the same documents.
const importTries = 5

var itemID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// Import stores items for a person, all or none, within the person's bounds. Items keep
// their ids and times. An item whose id is taken is left out, or replaces the stored
// document if replace is set. So an import may be repeated.
func (s *Store) Import(ctx context.Context, tenant, user string, items []*Item, replace bool) (done Imported, err error) {
	if len(items) > maxImport {
		return done, tool.Fail(tool.ValidationError, "at most %d items can be imported at a time, and these are %d", maxImport, len(items))
	}
	for range importTries {
		u := s.For(tenant, user, "", 1)
		if done, err = u.bring(ctx, items, replace); err != nil {
			return Imported{}, err
		}
		if _, err = u.Commit(ctx, tool.Result{}); !errors.Is(err, ErrStale) {
			break
		}
	}
	if errors.Is(err, ErrStale) || errors.Is(err, ErrUncertain) {
		err = tool.Fail(tool.Overloaded,
			"it is not certain that the items were stored; import them again: what is stored already is left as it is").Because(err)
	}
	if err != nil {
		return Imported{}, err
	}
	return done, nil
}

// bring buffers the changes of an import.
func (u *Unit) bring(ctx context.Context, items []*Item, replace bool) (done Imported, err error) {
	for _, item := range items {
		shape := &tool.Shape{Name: item.Collection, Search: item.Search}
		if err := checkItem(shape, item); err != nil {
			return done, err
		}
		stored, err := u.read(ctx, shape, `AND id = ?`, item.ID)
		if err != nil {
			return done, err
		}
		k := key{item.Collection, item.ID}
		u.mu.Lock()
		buffered := u.changes[k]
		u.mu.Unlock()
		switch {
		case buffered != nil, len(stored) > 0 && (!replace || bytes.Equal(canonical(stored[0].Doc), canonical(item.Doc))):
			done.Kept++
			continue
		case len(stored) > 0:
			done.Replaced++
		default:
			done.Added++
		}
		u.mu.Lock()
		c := &change{key: k, base: u.seen[k], created: item.CreatedAt.UnixMicro(), updated: item.UpdatedAt.UnixMicro()}
		if item.CreatedAt.IsZero() {
			c.created = u.now()
		}
		if item.UpdatedAt.IsZero() {
			c.updated = c.created
		}
		c.revision = max(c.base.revision+1, item.Revision, 1)
		c.set(shape, item.Doc)
		u.put(c)
		u.mu.Unlock()
	}
	return done, nil
}

// CheckItem returns why an item cannot be imported, nil if it can.
func CheckItem(item *Item) error {
	return checkItem(&tool.Shape{Name: item.Collection, Search: item.Search}, item)
}

func checkItem(shape *tool.Shape, item *Item) error {
	switch {
	case !shapeName.MatchString(item.Collection):
		return tool.Fail(tool.ValidationError, "%.80q is not the name of a collection", item.Collection)
	case !itemID.MatchString(item.ID):
		return tool.Fail(tool.ValidationError, "%.80q is not an id: it must be 1 to 128 letters, digits, - and _", item.ID)
	case len(item.Search) > maxSearch:
		return tool.Fail(tool.ValidationError, "the item %s names more than %d search fields", item.ID, maxSearch)
	}
	err := checkDocument(shape, item.Doc)
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Kind == tool.Internal {
		return tool.Fail(tool.ValidationError, "the item %s of %s is not a JSON object", item.ID, item.Collection)
	}
	return err
}

// maxSearch bounds the search fields of an imported item.
const maxSearch = 100

// Keep imports one document under its own id. A stored one of that id is kept, or replaced.
func (s *Store) Keep(ctx context.Context, tenant, user, collection string, row tool.Row, replace bool) error {
	_, err := s.Import(ctx, tenant, user, []*Item{{Collection: collection, Row: row}}, replace)
	return err
}
