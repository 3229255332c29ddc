// Package cache implements [tool.Cache] with a bound on the memory of a worker.
//
// It promises that a person's values are returned to calls of that person only, and that
// the sizes which tools have reported never exceed the bound together. It does not measure
// values; a tool that reports too little exceeds the bound.
package cache

import (
	"container/list"
	"sync"

	"github.com/helve-dev/helve/tool"
)

// entrySize is counted for each value in addition to its size.
const entrySize = 256

// Cache holds the values of all persons. The least recently used are dropped first.
type Cache struct {
	most int64

	mu      sync.Mutex
	entries map[key]*list.Element
	order   *list.List // of *entry, the last used in front
	bytes   int64
}

type key struct{ tenant, user, name string }

type entry struct {
	key   key
	value any
	bytes int64
}

// entryOf returns the entry of an element of the order.
func entryOf(e *list.Element) *entry {
	return e.Value.(*entry) //nolint:forcetypeassert // the list holds nothing else
}

// New returns a cache of at most this many bytes.
func New(most int64) *Cache {
	return &Cache{most: most, entries: map[key]*list.Element{}, order: list.New()}
}

// For returns the part of a person.
func (c *Cache) For(tenant, user string) tool.Cache { return part{c, tenant, user} }

type part struct {
	c            *Cache
	tenant, user string
}

// Load implements [tool.Cache].
func (p part) Load(name string, create func() any) any {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	k := key{p.tenant, p.user, name}
	if e := p.c.entries[k]; e != nil {
		p.c.order.MoveToFront(e)
		return entryOf(e).value
	}
	value := create()
	p.c.entries[k] = p.c.order.PushFront(&entry{k, value, entrySize})
	p.c.bytes += entrySize
	p.c.shrink()
	return value
}

// Size implements [tool.Cache].
func (p part) Size(name string, value any, bytes int64) bool {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	e := p.c.entries[key{p.tenant, p.user, name}]
	if e == nil || entryOf(e).value != value {
		return false
	}
	p.c.order.MoveToFront(e)
	at := entryOf(e)
	p.c.bytes += bytes + entrySize - at.bytes
	at.bytes = bytes + entrySize
	if at.bytes > p.c.most {
		p.c.drop(e)
		return false
	}
	p.c.shrink()
	return true
}

// shrink drops values until the rest fits.
func (c *Cache) shrink() {
	for c.bytes > c.most && c.order.Len() > 0 {
		c.drop(c.order.Back())
	}
}

func (c *Cache) drop(e *list.Element) {
	at := entryOf(e)
	c.order.Remove(e)
	delete(c.entries, at.key)
	c.bytes -= at.bytes
}
