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

// codes keeps the code that ran last. The zero value is empty and ready.
type codes struct {
	mu    sync.Mutex
	order list.List // of *held, the one used last in front
	at    map[codeID]*list.Element
	bytes int
}

type held struct {
	id   codeID
	code string
}

func (c *codes) get(id codeID) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[id]
	if e == nil {
		return "", false
	}
	c.order.MoveToFront(e)
	return e.Value.(*held).code, true
}

func (c *codes) put(id codeID, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[codeID]*list.Element{}
	}
	if c.at[id] != nil {
		return
	}
	c.at[id] = c.order.PushFront(&held{id, code})
	for c.bytes += len(code); c.bytes > maxCodes; {
		last := c.order.Back()
		old := c.order.Remove(last).(*held)
		delete(c.at, old.id)
		c.bytes -= len(old.code)
	}
}
