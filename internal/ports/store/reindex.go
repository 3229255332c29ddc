package store

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

// rekey is a document whose keys are to be stored.
type rekey struct {
	n, revision int64
	keys        keys
}

// readyCollections remembers the collections of persons all of whose documents have the
// keys of their shape, so that most calls need not look.
type readyCollections struct {
	mu    sync.Mutex
	until map[string]readiness
}

// readiness is until when all documents of a collection have keys, and until when that is
// known of those that were stored without its shape, such as imported ones; in Unix
// seconds.
type readiness struct{ all, imported int64 }

const (
	// readyFor is the time after which a collection is looked at again: a worker of
	// another version may have stored documents without the keys.
	readyFor = 10 * time.Minute
	// importedFor is the time after which it is looked at for documents that were stored
	// without its shape, which an index finds.
	importedFor = time.Second
	// maxReady bounds what is remembered.
	maxReady = 10_000
	// rekeyPage is the number of documents that are given keys in one transaction.
	rekeyPage = 500
)

func (r *readyCollections) of(name string) readiness {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.until[name]
}

func (r *readyCollections) add(name string, ready readiness) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil || len(r.until) >= maxReady {
		r.until = map[string]readiness{}
	}
	r.until[name] = ready
}

// indexed gives keys to the documents of a collection that were stored before its fields
// were indexed as they are now.
func (u *Unit) indexed(ctx context.Context, shape *tool.Shape) error {
	if len(slots(shape)) == 0 {
		return nil
	}
	if err := checkIndexes(shape); err != nil {
		return err
	}
	keyed := keyedBy(shape)
	name := u.person.tenant + "\x00" + u.person.name + "\x00" + shape.Name + "\x00" + keyed
	now := u.s.opts.Now().Unix()
	ready := u.s.ready.of(name)
	condition := `keyed = '` + unkeyed + `'`
	switch {
	case ready.all <= now:
		condition = `coalesce(keyed, '') <> '` + keyed + `'`
		ready.all = now + int64(readyFor/time.Second)
	case ready.imported > now:
		return nil
	}
	ready.imported = now + int64(importedFor/time.Second)
	for after := int64(0); ; {
		var list []rekey
		err := u.s.persist(ctx, func() (err error) {
			list, err = u.without(ctx, shape, condition, after)
			return err
		})
		if err == nil && len(list) > 0 {
			after = list[len(list)-1].n
			err = u.s.persist(ctx, func() error { return u.rekey(ctx, list) })
		}
		if errors.Is(err, ErrUncertain) || errors.Is(err, ErrStale) { // a deadlock on PostgreSQL
			err = unreachable(err)
		}
		if err != nil {
			return storeError(err)
		}
		if len(list) < rekeyPage {
			break
		}
	}
	u.s.ready.add(name, ready)
	return nil
}

// without returns documents that do not have the keys of the shape, as the condition has it.
func (u *Unit) without(ctx context.Context, shape *tool.Shape, condition string, after int64) (list []rekey, err error) {
	err = u.s.db.rows(ctx, u.person, func(scan func(...any) error) error {
		var r rekey
		var doc string
		err := scan(&r.n, &r.revision, &doc)
		r.keys = keysOf(shape, json.RawMessage(doc))
		list = append(list, r)
		return err
	},
		`SELECT n, revision, doc FROM store_row WHERE tenant = ? AND person = ? AND collection = ? AND `+condition+` AND n > ? ORDER BY n LIMIT `+
			itoa(rekeyPage),
		u.person.tenant, u.person.name, shape.Name, after)
	return list, err
}

// rekey stores keys; of documents with the same unique value, one is compared with later
// ones.
func (u *Unit) rekey(ctx context.Context, list []rekey) error {
	err := u.s.db.rekey(ctx, u.person, list)
	if taken := (*takenError)(nil); !errors.As(err, &taken) {
		return err
	}
	for _, r := range list {
		one := []rekey{r}
		err := u.s.db.rekey(ctx, u.person, one)
		for taken := (*takenError)(nil); errors.As(err, &taken) && one[0].keys.uniques != 0; {
			one[0].keys.uniques &^= 1 << (taken.slot - 1)
			err = u.s.db.rekey(ctx, u.person, one)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
