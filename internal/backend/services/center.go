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
	// every is how often the file is looked at, at most.
	every = time.Second
	// rest is how long a file must have been left alone: before, an editor or a
	// copy may be in the middle of it.
	rest = 100 * time.Millisecond
)

// Center answers from one file. It is safe for use by several goroutines at once.
type Center struct {
	path   string
	book   atomic.Pointer[book]
	report atomic.Pointer[func(error)]

	looking sync.Mutex // guards what follows; whoever finds it locked does not wait
	looked  time.Time
	judged  string // the look of the file that was taken or refused
}

// book holds the entries of one state of the file, each list in the order in
// which it is answered.
type book map[place][]tool.ServiceEntry

// place is whose entries of which service; those of a tenant have no user.
type place struct{ tenant, user, service string }

// Open reads the file at path. The error is for the operator: it says where the
// file is wrong, and shows none of its values.
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

// Report names who is told, once each, of the changes of the file that do not
// count because they are broken. It is called on the goroutine of whoever asked
// for an entry.
func (c *Center) Report(to func(error)) { c.report.Store(&to) }

// For returns what a user of a tenant may see; without a user, what the tenant
// has for everybody.
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

// refresh looks at the file, if that was not done for a while and nobody else is
// doing it: one call waits for a slow disk, and not all of them.
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

// look is the same text for the same file.
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

// Entries returns the user's entries of a service, then those of the tenant; in
// both the default one comes first, then the order is that of the file. They
// belong to whoever asked.
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

// String says whose view it is.
func (v view) String() string {
	return fmt.Sprintf("%v for tenant %q, user %q", v.center, v.tenant, v.user)
}

// GoString returns the same as String.
func (v view) GoString() string { return v.String() }
