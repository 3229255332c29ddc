package pathmodel

// broker adds the steps of the queue, of the streams and of the connections.
func (x *steps) broker() {
	s := x.from
	for c, one := range s.copies {
		for w := range s.workers {
			if s.workers[w].at == wIdle {
				x.deliver(c, one, w)
			}
		}
	}
	x.carry()
	// A restart keeps stored data and loses messages in transit. A broken connection
	// does the same for one process.
	if s.dispatchers[0].core != noOutcome && s.dispatchers[1].core != noOutcome {
		x.add("broker restarts", fault, func(s *state) { s.dispatchers[0].core, s.dispatchers[1].core = noOutcome, noOutcome })
	}
	for i := range s.dispatchers {
		if s.dispatchers[i].core != noOutcome {
			x.add("the answer is lost", fault, func(s *state) { s.dispatchers[i].core = noOutcome })
		}
	}
}

// deliver gives a copy to an idle worker. A copy that a worker still holds is delivered
// again only if its heartbeats are late.
func (x *steps) deliver(at int, one copied, to int) {
	class, name := work, "the queue delivers"
	switch one.at {
	case noCopy:
		return
	case delivered:
		name = "the queue delivers again"
		if w := x.from.workers[1-to]; w.at != wIdle && int(w.copy) == at {
			class, name = fault, "the queue delivers again, heartbeats are late"
		}
	}
	x.add(name, class, func(s *state) {
		s.runs = min(s.runs+1, maxRuns)
		s.workers[to] = worker{at: wTaken, copy: uint8(at), run: s.runs, recheck: one.again || one.at == delivered}
		s.copies[at].at = delivered
	})
}

// store keeps the first result. The stream republishes it, see [steps.wait].
func (s *state) store(o outcome) {
	s.result = o
}

// send shows a worker's message to the waiting dispatchers.
func (s *state) send(o outcome) {
	for i := range s.dispatchers {
		if s.dispatchers[i].at != dIdle {
			s.dispatchers[i].core = o
		}
	}
}

// freeCopy returns the index of a free copy, or -1.
func (x *steps) freeCopy() int {
	for i, c := range x.from.copies {
		if c.at == noCopy {
			return i
		}
	}
	return -1
}
