package consent

import (
	"context"
	"hash/maphash"
	"strconv"
	"sync"
)

// changes counts the changes of inboxes, so that a front end can wait for one instead of
// reading its list again and again.
type changes struct {
	mu    sync.Mutex
	count uint64
	last  map[inboxOf]uint64 // the count at the last change
	next  chan struct{}      // closed at the next change
	seed  maphash.Seed
}

func newChanges() changes {
	return changes{last: map[inboxOf]uint64{}, seed: maphash.MakeSeed()}
}

// inboxOf names an inbox: that of a person, or with an empty user that of a tenant.
type inboxOf struct{ tenant, user string }

// note records a change in the inbox of a person.
func (c *changes) note(tenant, user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	c.last[inboxOf{tenant, user}], c.last[inboxOf{tenant, ""}] = c.count, c.count
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// state returns the revision of an inbox, and a channel that is closed at the next change
// of any inbox. A revision tells nothing about the number of changes, which are also those
// of other tenants.
func (c *changes) state(of inboxOf) (revision string, next <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return strconv.FormatUint(maphash.Comparable(c.seed, c.last[of]), 36), c.next
}

// forget drops the numbers of inboxes without entries. Their next change has a higher
// number than every change before.
func (c *changes) forget(entries map[key]*entry) {
	kept := map[inboxOf]bool{}
	for k, e := range entries {
		kept[inboxOf{k.tenant, e.user}], kept[inboxOf{k.tenant, ""}] = true, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for of := range c.last {
		if !kept[of] {
			delete(c.last, of)
		}
	}
}

// Revision returns the state of a person's inbox, or with an empty user of a tenant's, as
// this service has received it. If it is the known one, it waits for a change until ctx
// ends. Services have different revisions of one state.
func (svc *Service) Revision(ctx context.Context, tenant, user, known string) string {
	for {
		revision, changed := svc.inbox.changes.state(inboxOf{tenant, user})
		if revision != known {
			return revision
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return revision
		}
	}
}
