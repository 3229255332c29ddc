package sandbox

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
