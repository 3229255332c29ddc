package consent

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// key names a consent.
type key struct{ tenant, consentID string }

// entry is what a desk remembers of a consent: enough to find it. The rest is
// read from the streams.
type entry struct {
	key
	user, agent, tool string
	status            Status
	asked, expires    time.Time
	seqs              []uint64 // where the request lies in the inbox's stream
}

// inbox is the consents a desk has heard of, for as long as they are kept.
type inbox struct {
	mu      sync.RWMutex
	entries map[key]*entry
	pending int
	seen    uint64 // the last request of the stream that was noted
}

// asked notes a request that waits.
func (in *inbox) asked(seq uint64, tenant string, request []byte) {
	var r Request
	if json.Unmarshal(request, &r) != nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	e := in.note(tenant, &r)
	e.seqs = append(e.seqs, seq)
	in.seen = max(in.seen, seq)
}

// knows reports whether the request at that place of the stream was noted.
func (in *inbox) knows(seq uint64) bool {
	in.mu.RLock()
	defer in.mu.RUnlock()
	return in.seen >= seq
}

// decided notes what became of a request.
func (in *inbox) decided(tenant string, decision []byte) {
	var r Request
	if json.Unmarshal(decision, &r) != nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	e := in.note(tenant, &r)
	if e.status == Pending && r.Status != Pending {
		in.pending--
		e.status = r.Status
	}
}

// note returns the entry of a request. The caller holds mu.
func (in *inbox) note(tenant string, r *Request) *entry {
	k := key{tenant, r.ConsentID}
	if e := in.entries[k]; e != nil {
		return e
	}
	e := &entry{
		key: k, user: r.User, agent: r.Agent, tool: r.Tool, status: Pending, asked: r.RequestedAt, expires: r.ExpiresAt,
	}
	in.entries[k] = e
	in.pending++
	return e
}

func (in *inbox) waiting() int {
	in.mu.RLock()
	defer in.mu.RUnlock()
	return in.pending
}

// overdue returns what waits although its time ended before now.
func (in *inbox) overdue(now time.Time) []key {
	in.mu.RLock()
	defer in.mu.RUnlock()
	var over []key
	for k, e := range in.entries {
		if e.status == Pending && e.expires.Before(now) {
			over = append(over, k)
		}
	}
	return over
}

// seqs returns where the request of a consent lies.
func (in *inbox) seqs(tenant, consentID string) []uint64 {
	in.mu.RLock()
	defer in.mu.RUnlock()
	if e := in.entries[key{tenant, consentID}]; e != nil {
		return slices.Clone(e.seqs)
	}
	return nil
}

// gone notes that a request was taken out of the stream.
func (in *inbox) gone(tenant, consentID string, seq uint64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if e := in.entries[key{tenant, consentID}]; e != nil {
		e.seqs = slices.DeleteFunc(e.seqs, func(s uint64) bool { return s == seq })
	}
}

// leftover returns some of what was decided and whose request may still lie in
// the stream.
func (in *inbox) leftover(most int) []key {
	in.mu.RLock()
	defer in.mu.RUnlock()
	var left []key
	for k, e := range in.entries {
		if e.status != Pending && len(e.seqs) > 0 && len(left) < most {
			left = append(left, k)
		}
	}
	return left
}

// find returns the ids of the consents of a tenant that f wants, the newest
// first, and the cursor of what comes next.
func (in *inbox) find(tenant string, f Filter) (ids []string, next string) {
	in.mu.RLock()
	var found []entry
	for _, e := range in.entries {
		if e.tenant == tenant && e.fits(f) {
			found = append(found, *e)
		}
	}
	in.mu.RUnlock()
	slices.SortFunc(found, func(a, b entry) int { return cmp.Compare(b.cursor(), a.cursor()) })
	for _, e := range found {
		if f.Cursor != "" && e.cursor() >= f.Cursor {
			continue
		}
		if f.Limit > 0 && len(ids) == f.Limit {
			return ids, next
		}
		ids, next = append(ids, e.consentID), e.cursor()
	}
	return ids, ""
}

// cursor orders entries by time; the id makes it unique.
func (e *entry) cursor() string {
	return e.asked.UTC().Format("20060102T150405.000") + "-" + e.consentID
}

func (e *entry) fits(f Filter) bool {
	return (f.Status == "" || f.Status == e.status) && (f.User == "" || f.User == e.user) &&
		(f.Agent == "" || f.Agent == e.agent) && (f.Tool == "" || f.Tool == e.tool)
}

// forget drops decided entries whose time ended before.
func (in *inbox) forget(before time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for k, e := range in.entries {
		if e.status != Pending && e.expires.Before(before) {
			delete(in.entries, k)
		}
	}
}
