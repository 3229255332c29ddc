package pathmodel

// Where the direct call is: the message by which a dispatcher hands the call to a worker.
const (
	notHanded uint8 = iota
	onWay
	handed // a worker has received it, or it is lost
)

// inHand stands for the message of the queue that a worker of a direct call does not have.
const inHand = 2

// hand adds the ways in which a dispatcher that has accepted a call does without the queue.
func (x *steps) hand(i int) {
	if !x.direct || x.from.handed != notHanded || x.from.accepted == acceptedAgain {
		return
	}
	x.add("dispatcher hands the call to a worker", work, func(s *state) { s.handed, s.dispatchers[i].at = onWay, dHanded })
}

// waitHanded adds what a dispatcher does that has handed the call to a worker. It answers
// when a result arrives; the call is queued before anything else is answered.
func (x *steps) waitHanded(i int) {
	x.answers(i)
	x.end(i, "the direct call is past its time", work)
	x.submit(i, "no result in time, dispatcher queues a copy", work, true, dWait)
	x.submit(i, "no result in time, dispatcher queues a copy, the acknowledgement is lost", fault, true, dRequeue)
	x.add("the queue has no room for the copy", fault, func(s *state) { s.dispatchers[i] = dispatcher{} })
	if x.pendingUnqueued {
		x.add("the request is over, the call is not queued", work, func(s *state) { s.dispatchers[i], s.queued = dispatcher{}, true })
	}
}

// carry adds the ends of the direct call in transit.
func (x *steps) carry() {
	if x.from.handed != onWay {
		return
	}
	for w := range x.from.workers {
		if x.from.workers[w].at == wIdle {
			x.add("a worker receives the direct call", work, func(s *state) {
				s.handed, s.workers[w] = handed, worker{at: wTaken, copy: inHand}
			})
		}
	}
	x.add("the direct call is lost", fault, func(s *state) { s.handed = handed })
	x.decline("a worker declines the direct call", func(s *state) { s.handed = handed })
}

// decline has the dispatcher of the direct call queue it, unless it has by now.
func (x *steps) decline(name string, change func(s *state)) {
	x.add(name, work, func(s *state) {
		change(s)
		for i := range s.dispatchers {
			if s.dispatchers[i].at == dHanded {
				s.dispatchers[i].at = dQueue
			}
		}
	})
	x.add(name+", which is lost", fault, change)
}

// runsDirect reports whether a worker has the direct call.
func (s *state) runsDirect() bool {
	for _, w := range s.workers {
		if w.at != wIdle && w.copy == inHand {
			return true
		}
	}
	return false
}

// forgetHand drops whether the call was ever handed over, where it no longer can be.
func (s *state) forgetHand() {
	mayQueue := s.dispatchers[0].at == dQueue || s.dispatchers[1].at == dQueue
	if s.handed == notHanded && (s.accepted == acceptedAgain || s.accepted == acceptedOnce && !mayQueue) {
		s.handed = handed
	}
}
