package sandbox

import "slices"

// Spoke reports whether an idle child has written something.
func (p *Pool) Spoke() bool {
	p.idle.mu.Lock()
	defer p.idle.mu.Unlock()
	return slices.ContainsFunc(p.idle.children, func(c *childProcess) bool { return !c.quiet() })
}

// Pids returns the process ids of the running children.
func (p *Pool) Pids() []int {
	p.spawner.mu.Lock()
	defer p.spawner.mu.Unlock()
	var pids []int
	for c := range p.spawner.all {
		pids = append(pids, c.pid)
	}
	return pids
}
