package sandbox

import "slices"

// Spoke says that a child which is idle has said something.
func (p *Pool) Spoke() bool {
	p.idle.mu.Lock()
	defer p.idle.mu.Unlock()
	return slices.ContainsFunc(p.idle.children, func(c *child) bool { return !c.quiet() })
}

// Pids are the children that live.
func (p *Pool) Pids() []int {
	p.nursery.mu.Lock()
	defer p.nursery.mu.Unlock()
	var pids []int
	for c := range p.nursery.all {
		pids = append(pids, c.pid)
	}
	return pids
}
