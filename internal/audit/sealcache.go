package audit

import "container/list"

// span is a valid seal: the covered range, and the leaves.
type span struct {
	N, From, To uint64
	leaves
}

// Limits of a sealCache: 10 MB at most.
const (
	cacheSeals  = 2000
	cacheLeaves = 200_000
)

// sealCache keeps the most recently used seals. It must not be used concurrently.
type sealCache struct {
	byID   map[sealID]*list.Element
	order  list.List // of cached, the most recently used first
	leaves int
}

type sealID struct {
	tenant string
	n      uint64
}

type cached struct {
	id sealID
	*span
}

func (c *sealCache) get(tenant string, n uint64) *span {
	at, ok := c.byID[sealID{tenant, n}]
	if !ok {
		return nil
	}
	c.order.MoveToFront(at)
	entry, _ := at.Value.(cached) // the list holds nothing else
	return entry.span
}

func (c *sealCache) put(tenant string, s *span) {
	id := sealID{tenant, s.N}
	if c.byID == nil {
		c.byID = map[sealID]*list.Element{}
	}
	if c.byID[id] != nil {
		return
	}
	c.byID[id] = c.order.PushFront(cached{id, s})
	c.leaves += s.len()
	for c.order.Len() > cacheSeals || c.leaves > cacheLeaves {
		last, _ := c.order.Remove(c.order.Back()).(cached)
		c.leaves -= last.len()
		delete(c.byID, last.id)
	}
}
