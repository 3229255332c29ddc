package services

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	// every is the shortest interval between checks of the file.
	every = time.Second
	// rest is the time for which the file must be unchanged: earlier, an editor or a
	// copy may be in the middle of it.
	rest = 100 * time.Millisecond
)

// Center answers from one file. It is safe for concurrent use.
type Center struct {
	path   string
	book   atomic.Pointer[book]
	report atomic.Pointer[func(error)]

	looking sync.Mutex // guards the following fields; a caller that finds it locked does not wait
	looked  time.Time
	judged  string // the fingerprint of the file that was last accepted or refused
}

// book holds the entries of one version of the file, each list in answer order.
type book map[place][]tool.ServiceEntry

// place identifies the owner and service of entries; entries of a tenant have no user.
type place struct{ tenant, user, service string }

// Open reads the file at path. The error is for the operator: it names the invalid
// place in the file, and contains no values.
func Open(path string) (*Center, error) {
	c := &Center{path: path, looked: time.Now()}
	info, err := os.Stat(path)
	if err == nil {
		c.judged = look(info)
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// Report sets the function that receives each invalid change of the file once. It is
// called on the goroutine of the caller that requested an entry.
func (c *Center) Report(to func(error)) { c.report.Store(&to) }

// For returns the entries that a user of a tenant may see; without a user, those of the
// tenant.
func (c *Center) For(tenant, user string) tool.Secrets { return view{c, tenant, user} }

// String returns the path and the number of entries.
func (c *Center) String() string {
	n := 0
	for _, list := range *c.book.Load() {
		n += len(list)
	}
	return fmt.Sprintf("services of %s (%d entries)", c.path, n)
}

// GoString returns the same as String, so that %#v shows no values either.
func (c *Center) GoString() string { return c.String() }

// refresh checks the file, if the last check is old enough and no other call is
// checking: one call waits for a slow disk, and not all of them.
func (c *Center) refresh() {
	if !c.looking.TryLock() {
		return
	}
	defer c.looking.Unlock()
	now := time.Now()
	if now.Sub(c.looked) < every {
		return
	}
	c.looked = now
	seen := "gone"
	if info, err := os.Stat(c.path); err == nil {
		if age := now.Sub(info.ModTime()); age >= 0 && age < rest {
			return
		}
		seen = look(info)
	}
	if seen == c.judged {
		return
	}
	c.judged = seen
	if err := c.read(); err != nil {
		if report := c.report.Load(); report != nil {
			(*report)(fmt.Errorf("%w; what was read before goes on to hold", err))
		}
	}
}

// look returns equal texts for the same version of the file.
func look(info os.FileInfo) string {
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode())
}

func (c *Center) read() error {
	text, err := readFile(c.path)
	if err == nil {
		var b book
		if b, err = parse(text); err == nil {
			c.book.Store(&b)
		}
	}
	if err != nil {
		return fmt.Errorf("services file %s: %w", c.path, err)
	}
	return nil
}

// view is a center as one user sees it.
type view struct {
	center       *Center
	tenant, user string
}

// Entries returns the user's entries of a service, then those of the tenant; in both
// the default entry comes first, then the order is that of the file. The caller may
// change them.
func (v view) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	v.center.refresh()
	b := *v.center.book.Load()
	entries := slices.Clone(b[place{v.tenant, "", service}])
	if v.user != "" {
		entries = slices.Concat(b[place{v.tenant, v.user, service}], entries)
	}
	for i := range entries {
		entries[i].Data = maps.Clone(entries[i].Data)
	}
	return entries, nil
}

// String names the tenant and user of the view.
func (v view) String() string {
	return fmt.Sprintf("%v for tenant %q, user %q", v.center, v.tenant, v.user)
}

// GoString returns the same as String.
func (v view) GoString() string { return v.String() }
