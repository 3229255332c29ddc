package pathmodel

// dispatcher adds the steps of one dispatcher and of its caller.
func (x *steps) dispatcher(i int) {
	d := x.from.dispatchers[i]
	goTo := func(name string, c class, at uint8) {
		x.add(name, c, func(s *state) { s.dispatchers[i].at = at })
	}
	if d != (dispatcher{}) {
		x.add("dispatcher crashes", fault, func(s *state) { s.dispatchers[i] = dispatcher{} })
	}
	held := x.from.workers[0].at != wIdle || x.from.workers[1].at != wIdle
	switch d.at {
	case dIdle:
		x.asked(i)
	case dQueue:
		x.hand(i)
		x.queue(i)
	case dHanded:
		x.waitHanded(i)
	case dRequeue:
		x.submit(i, "dispatcher queues the call again", work, true, dWait)
	case dRelease:
		x.add("dispatcher takes the acceptance back", work, func(s *state) {
			if s.accepted == acceptedOnce {
				s.accepted = released
			}
			s.dispatchers[i] = dispatcher{}
		})
	case dJoined:
		goTo("dispatcher waits for a call that is queued", work, dWait)
		x.probe(held, "dispatcher", func() {}, func(c class, name string) {
			x.submit(i, name+" and queues a copy", c, true, dWait)
		})
		if x.from.runsDirect() {
			x.submit(i, "dispatcher learns of a direct call and queues a copy", work, true, dWait)
		}
	case dWait:
		x.wait(i)
	case dProbe:
		if x.transactional && x.from.runs > 0 && !x.endDelivered {
			goTo("dispatcher leaves the end of a call that was delivered to the next worker", work, dWait)
			return
		}
		x.probe(held, "dispatcher that ends the call", func() { goTo("dispatcher leaves the end to a worker", work, dWait) },
			func(c class, name string) { goTo(name, c, dConclude) })
	case dConclude:
		x.conclude(i)
	}
}

// asked adds the steps of a request. Reading leaves no trace if the dispatcher dies, so
// reading and what follows are one step.
func (x *steps) asked(i int) {
	if x.from.accepted == notAccepted || x.from.accepted == released {
		x.add("caller asks, dispatcher stores the acceptance", caller, func(s *state) {
			s.accepted++ // acceptedAgain after released
			s.dispatchers[i].at = dQueue
		})
		return
	}
	x.read(i, "caller asks, the call_id is taken, dispatcher", caller, dJoined)
	x.end(i, "caller cancels", caller)
}

// end stores a fence that prevents later workers from starting the call.
func (x *steps) end(i int, name string, c class) {
	x.add(name+", dispatcher stores the fence", c, func(s *state) {
		if s.dispatchers[i].at = dProbe; s.fence == started {
			s.dispatchers[i].at = dWait // refused
			return
		}
		s.fence = endedFirst
	})
}

// answer answers the caller.
func (x *steps) answer(s *state, i int, o outcome) {
	s.dispatchers[i] = dispatcher{}
	if x.answerFromCopy || o != s.result {
		s.told = o // otherwise nothing changes: the result stays the same
	}
}

func (x *steps) queue(i int) {
	again := x.from.accepted == acceptedAgain
	x.submit(i, "dispatcher queues the call", work, again, dWait)
	x.submit(i, "dispatcher queues the call, the acknowledgement is lost", fault, again, dRequeue)
	if !again {
		x.add("the queue has no room", fault, func(s *state) { s.dispatchers[i].at = dRelease })
	}
}

// submit stores a copy of the call in the queue. A third copy would change nothing.
func (x *steps) submit(i int, name string, c class, again bool, then uint8) {
	free := x.freeCopy()
	x.add(name, c, func(s *state) {
		s.dispatchers[i].at = then
		if free >= 0 {
			s.copies[free], s.queued = copied{at: inQueue, again: again}, true
		}
	})
}

// wait answers when the dispatcher receives the answer, or reads a stored one. A
// request whose time is over is answered as pending.
func (x *steps) wait(i int) {
	x.answers(i)
	x.add("the request is over", work, func(s *state) { s.dispatchers[i] = dispatcher{} })
	x.end(i, "the call is past its time", work)
}

// answers has a dispatcher answer a result.
func (x *steps) answers(i int) {
	d := x.from.dispatchers[i]
	if d.core != noOutcome {
		x.add("the worker's message arrives, dispatcher answers", work, func(s *state) { x.answer(s, i, d.core) })
	}
	if x.bySubject && x.from.other && x.from.grouped {
		x.add("the second result is read, dispatcher answers", work, func(s *state) { x.answer(s, i, second) })
	}
	if r := x.from.result; r != noOutcome {
		// Republished by the stream, or read if that message is lost.
		x.add("the stored result arrives, dispatcher answers", work, func(s *state) { x.answer(s, i, r) })
	}
}

func (x *steps) read(i int, who string, c class, otherwise uint8) {
	if r := x.from.result; r != noOutcome {
		x.add(who+" reads the result and answers", c, func(s *state) { x.answer(s, i, r) })
		return
	}
	x.add(who+" reads no result", c, func(s *state) { s.dispatchers[i].at = otherwise })
}

// conclude stores the result of a call that a dispatcher has ended.
func (x *steps) conclude(i int) {
	own := of(ended, 0)
	switch {
	case x.from.result != noOutcome:
		x.read(i, "dispatcher that ended the call", work, dConclude)
	default:
		x.add("dispatcher's result is refused: the stream is full", fault, func(s *state) { s.dispatchers[i] = dispatcher{} })
		x.add("dispatcher's result is stored", work, func(s *state) {
			s.store(own)
			x.answer(s, i, own)
		})
		x.add("dispatcher's result is stored, its acknowledgement lost", fault, func(s *state) { s.store(own) })
	}
}
