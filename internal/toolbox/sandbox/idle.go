package sandbox

import (
	"slices"
	"sync"
)

// idle holds children that served a tenant and wait for its next call, the longest idle
// first.
type idle struct {
	mu       sync.Mutex
	children []*childProcess
	most     int
}

// take returns the child that served the tenant last, whose caches are the warmest; nil if
// there is none.
func (l *idle) take(tenant string) *childProcess {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	for i, c := range slices.Backward(l.children) {
		if c.tenant == tenant {
			l.children = slices.Delete(l.children, i, i+1)
			return c
		}
	}
	return nil
}

// put adds a child. It returns the child that must end for it, or nil.
func (l *idle) put(c *childProcess) *childProcess {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.children = append(l.children, c)
	if len(l.children) <= l.most {
		return nil
	}
	oldest := l.children[0]
	l.children = slices.Delete(l.children, 0, 1)
	return oldest
}

func (l *idle) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	return len(l.children)
}

// forget drops children that have ended by themselves.
func (l *idle) forget() { l.children = slices.DeleteFunc(l.children, (*childProcess).ended) }
