package dynamic

import (
	"container/list"
	"sync"
)

// maxCodes bounds the code that is kept, in bytes.
const maxCodes = 32 << 20

type codeID struct {
	id      string
	version int
}

// codes caches the most recently run code. The zero value is empty and ready.
type codes struct {
	mu    sync.Mutex
	order list.List // of codeID, the most recently used first
	at    map[codeID]held
	bytes int
}

type held struct {
	place *list.Element
	code  string
}

func (c *codes) get(id codeID) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok := c.at[id]
	if ok {
		c.order.MoveToFront(h.place)
	}
	return h.code, ok
}

func (c *codes) put(id codeID, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[codeID]held{}
	}
	if _, known := c.at[id]; known {
		return
	}
	c.at[id] = held{c.order.PushFront(id), code}
	for c.bytes += len(code); c.bytes > maxCodes; {
		last := c.order.Back()
		old, _ := c.order.Remove(last).(codeID)
		c.bytes -= len(c.at[old].code)
		delete(c.at, old)
	}
}
