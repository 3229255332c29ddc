package consent

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// key identifies a consent.
type key struct{ tenant, consentID string }

// entry is the part of a consent that a service keeps in memory: enough to find it. The
// rest is read from the streams.
type entry struct {
	key
	user, agent, tool string
	service           string // whose account is requested
	status            protocol.ConsentStatus
	asked, expires    time.Time
	seqs              []uint64 // sequences of the request in the inbox's stream
}

// inbox is the consents that a service has received, for as long as they are kept.
type inbox struct {
	mu      sync.RWMutex
	entries map[key]*entry
	// accounts are the pending requests for accounts.
	accounts map[key]*entry
	pending  int
	seen     uint64 // the last request of the stream that was added
	changes  changes
}

func newInbox() inbox {
	return inbox{entries: map[key]*entry{}, accounts: map[key]*entry{}, changes: newChanges()}
}

// asked adds a pending request, and reports whether it is one for an account.
func (in *inbox) asked(seq uint64, tenant string, request []byte) (account bool) {
	var r protocol.Consent
	if json.Unmarshal(request, &r) != nil {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	e := in.note(tenant, &r)
	e.seqs = append(e.seqs, seq)
	in.seen = max(in.seen, seq)
	return e.service != ""
}

// knows reports whether the request at that sequence was added.
func (in *inbox) knows(seq uint64) bool {
	in.mu.RLock()
	defer in.mu.RUnlock()
	return in.seen >= seq
}

// decided records the outcome of a request.
func (in *inbox) decided(tenant string, decision []byte) {
	var r protocol.Consent
	if json.Unmarshal(decision, &r) != nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	e := in.note(tenant, &r)
	if e.status == protocol.PendingConsent && r.Status != protocol.PendingConsent {
		in.pending--
		e.status = r.Status
		delete(in.accounts, e.key)
		in.changes.note(tenant, e.user)
	}
}

// note returns the entry of a request. The caller holds mu.
func (in *inbox) note(tenant string, r *protocol.Consent) *entry {
	k := key{tenant, r.ID}
	if e := in.entries[k]; e != nil {
		return e
	}
	e := &entry{
		key: k, user: r.User, agent: r.Agent, tool: r.Tool, status: protocol.PendingConsent, asked: r.RequestedAt, expires: r.ExpiresAt,
	}
	if r.Kind == protocol.ConsentAccount {
		e.service = r.Service
		in.accounts[k] = e
	}
	in.entries[k] = e
	in.pending++
	in.changes.note(tenant, r.User)
	return e
}

func (in *inbox) waiting() int {
	in.mu.RLock()
	defer in.mu.RUnlock()
	return in.pending
}

// expiring returns the number of pending requests that have less than a quarter of their
// time left.
func (in *inbox) expiring(now time.Time) int {
	in.mu.RLock()
	defer in.mu.RUnlock()
	n := 0
	for _, e := range in.entries {
		if e.status == protocol.PendingConsent && e.expires.Sub(now) < e.expires.Sub(e.asked)/4 {
			n++
		}
	}
	return n
}

// overdue returns pending requests that expired before now.
func (in *inbox) overdue(now time.Time) []key {
	in.mu.RLock()
	defer in.mu.RUnlock()
	var over []key
	for k, e := range in.entries {
		if e.status == protocol.PendingConsent && e.expires.Before(now) {
			over = append(over, k)
		}
	}
	return over
}

// connectable returns pending requests for accounts that there are now.
func (in *inbox) connectable(has func(tenant, user, service string) bool) []key {
	in.mu.RLock()
	defer in.mu.RUnlock()
	var all []key
	for k, e := range in.accounts {
		if has(e.tenant, e.user, e.service) {
			all = append(all, k)
		}
	}
	return all
}

// seqs returns the sequences of a consent's request.
func (in *inbox) seqs(tenant, consentID string) []uint64 {
	in.mu.RLock()
	defer in.mu.RUnlock()
	if e := in.entries[key{tenant, consentID}]; e != nil {
		return slices.Clone(e.seqs)
	}
	return nil
}

// gone records that a request was removed from the stream.
func (in *inbox) gone(tenant, consentID string, seq uint64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if e := in.entries[key{tenant, consentID}]; e != nil {
		e.seqs = slices.DeleteFunc(e.seqs, func(s uint64) bool { return s == seq })
	}
}

// leftover returns some decided consents whose request may still be in the stream.
func (in *inbox) leftover(most int) []key {
	in.mu.RLock()
	defer in.mu.RUnlock()
	var left []key
	for k, e := range in.entries {
		if e.status != protocol.PendingConsent && len(e.seqs) > 0 && len(left) < most {
			left = append(left, k)
		}
	}
	return left
}

// find returns the IDs of a tenant's consents that match f, newest first unless f asks for
// the oldest, and the cursor of the next page.
func (in *inbox) find(tenant string, f Filter) (ids []string, next string) {
	in.mu.RLock()
	var found []entry
	for _, e := range in.entries {
		if e.tenant == tenant && e.fits(f) {
			found = append(found, *e)
		}
	}
	in.mu.RUnlock()
	direction := -1
	if f.Oldest {
		direction = 1
	}
	slices.SortFunc(found, func(a, b entry) int { return direction * a.compare(&b) })
	for _, e := range found {
		if f.Cursor != "" && direction*cmp.Compare(e.cursor(), f.Cursor) <= 0 {
			continue
		}
		if f.Limit > 0 && len(ids) == f.Limit {
			return ids, next
		}
		ids, next = append(ids, e.consentID), e.cursor()
	}
	return ids, ""
}

// cursor returns a position that orders entries by time; the ID makes it unique.
func (e *entry) cursor() string {
	return e.asked.UTC().Format("20060102T150405.000") + "-" + e.consentID
}

// compare orders entries as their cursors do.
func (e *entry) compare(other *entry) int {
	if order := e.asked.Truncate(time.Millisecond).Compare(other.asked.Truncate(time.Millisecond)); order != 0 {
		return order
	}
	return cmp.Compare(e.consentID, other.consentID)
}

func (e *entry) fits(f Filter) bool {
	return (f.Status == "" || f.Status == e.status) && (f.User == "" || f.User == e.user) &&
		(f.Agent == "" || f.Agent == e.agent) && (f.Tool == "" || f.Tool == e.tool)
}

// forget drops decided entries that expired before the given time.
func (in *inbox) forget(before time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for k, e := range in.entries {
		if e.status != protocol.PendingConsent && e.expires.Before(before) {
			delete(in.entries, k)
		}
	}
	in.changes.forget(in.entries)
}
