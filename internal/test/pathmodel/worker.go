package pathmodel

// worker adds the steps of one worker. A worker may hold a copy too long: the queue may
// have delivered it to the other as well, and a probe may stay unanswered although its
// worker lives. That covers a worker that is stopped and continues.
func (x *steps) worker(i int) {
	w := x.from.workers[i]
	if w.at == wIdle {
		return
	}
	x.add("worker crashes", fault, func(s *state) { s.workers[i] = worker{} })
	goTo := func(name string, at uint8) {
		x.add(name, work, func(s *state) { s.workers[i].at = at })
	}
	publish := func(c class, name string, kind outcome) {
		x.add(name, c, func(s *state) { s.workers[i].at, s.workers[i].out = wPublish, of(kind, w.run) })
	}
	leave := func(name string) { x.add(name, work, func(s *state) { s.workers[i] = worker{} }) }
	other := x.from.workers[1-i].at != wIdle
	switch w.at {
	case wTaken:
		x.taken(i, goTo)
	case wLookFence:
		x.lookFence(goTo, publish)
	case wProbe:
		x.probe(other, "worker", func() { leave("worker leaves the call to the other") }, func(c class, name string) {
			x.add(name, c, func(s *state) { s.workers[i].at = wFence })
		})
	case wFence:
		x.fence(i, goTo, publish)
	case wEnd:
		x.forestall(i, goTo)
	case wRefuse:
		x.refuse(i)
	case wAct:
		x.act(i)
	case wBehind:
		x.known(i, "worker behind a fence reads the result", wBehindProbe)
	case wBehindProbe:
		x.probe(other, "worker behind a fence", func() { leave("worker leaves the call to the fence's worker") }, func(c class, name string) {
			publish(c, name, unknown)
		})
	case wPublish:
		x.publish(i)
	case wRecord:
		x.add("worker writes the record", work, func(s *state) {
			s.records = min(s.records+1, 2)
			s.workers[i].at = wSettle
		})
	case wSettle:
		x.add("worker acknowledges", work, func(s *state) {
			if w.copy != inHand {
				s.copies[w.copy] = copied{} // from its current holder too: a late ack removes it
			}
			s.workers[i] = worker{}
		})
		x.add("the acknowledgement is lost", fault, func(s *state) { s.workers[i] = worker{} })
	}
}

// lookFence reads the fence of a copy delivered before.
func (x *steps) lookFence(goTo func(string, uint8), publish func(class, string, outcome)) {
	switch x.from.fence {
	case noFence:
		goTo("worker reads no fence", wProbe)
	case endedFirst:
		if x.transactional {
			goTo("worker reads a dispatcher's fence, its database is next", wFence)
			return
		}
		publish(work, "worker reads a dispatcher's fence", ended)
	case started:
		goTo("worker reads another's fence", wBehind)
	}
}

// act runs the tool.
func (x *steps) act(i int) {
	w := x.from.workers[i]
	if x.transactional {
		x.commit(i)
		return
	}
	x.add("worker runs the tool", work, func(s *state) {
		s.effects = min(s.effects+1, x.most())
		s.workers[i].at, s.workers[i].out = wPublish, of(success, w.run)
	})
}

// taken decides what a worker does with a delivered copy.
func (x *steps) taken(i int, goTo func(string, uint8)) {
	w := x.from.workers[i]
	if w.recheck && x.from.row != noOutcome {
		x.add("worker of a copy delivered before reads the stored outcome",
			work, func(s *state) { s.workers[i].at, s.workers[i].out = wPublish, s.row })
		return
	}
	if w.recheck {
		x.known(i, "worker of a copy delivered before reads the result", wLookFence)
	} else {
		goTo("worker takes the call", wFence)
		x.endIn(work, i, "worker ends a call that is cancelled", ended)
	}
	if w.copy == inHand {
		x.decline("the worker of the direct call declines it", func(s *state) { s.workers[i] = worker{} })
		return
	}
	if w.run == maxRuns {
		x.probe(x.from.workers[1-i].at != wIdle, "worker that gives the call up", func() {}, func(c class, name string) {
			x.endIn(c, i, name, gaveUp)
		})
	}
	free := x.freeCopy()
	if x.from.moved || x.direct || free < 0 && !x.ackFirst {
		return
	}
	x.add("worker without the tool returns the call", fault, func(s *state) {
		s.moved = true
		s.workers[i].at = wSettle
		if x.ackFirst { // and crashes before the copy is stored
			s.copies[w.copy], s.workers[i] = copied{}, worker{}
			return
		}
		s.copies[free] = copied{at: inQueue, again: true}
	})
	if !x.ackFirst {
		x.add("worker returns the call, the acknowledgement is lost", fault, func(s *state) {
			s.moved, s.copies[free] = true, copied{at: inQueue, again: true} // it continues with the call
		})
	}
}

// known continues if the call has no result, and settles it if it has one.
func (x *steps) known(i int, name string, otherwise uint8) {
	if x.from.result == noOutcome {
		x.add(name+": none", work, func(s *state) { s.workers[i].at = otherwise })
		return
	}
	if x.from.grouped && !x.from.other { // only dispatchers read it
		x.add(name+": none, and no dispatcher answers", fault, func(s *state) { s.workers[i].at = otherwise })
	}
	if !x.recordApart {
		x.add(name+": stored", work, func(s *state) { s.workers[i].at = wSettle })
		return
	}
	// The worker that stored it may have died before it wrote the record.
	x.probe(x.from.workers[1-i].at != wIdle, name+": stored; it", func() {
		x.add(name+": stored, its worker lives", work, func(s *state) { s.workers[i] = worker{} })
	}, func(c class, name string) {
		x.add(name, c, func(s *state) { s.workers[i].at = wRecord })
	})
}

// probe asks whether another worker runs the call. It may stay unanswered even if one
// does.
func (x *steps) probe(other bool, who string, answered func(), silent func(class, string)) {
	if !other {
		silent(work, who+" probes in vain")
		return
	}
	answered()
	silent(fault, who+" probes, and the answer is lost")
}

func (x *steps) fence(i int, goTo func(string, uint8), publish func(class, string, outcome)) {
	switch {
	case x.from.fence == endedFirst && x.transactional:
		x.add("worker's fence is refused: ended",
			work, func(s *state) { s.workers[i].at, s.workers[i].out = wRefuse, of(ended, s.workers[i].run) })
	case x.from.fence == endedFirst:
		publish(work, "worker's fence is refused: ended", ended)
	case x.repeatable || x.transactional || x.noFence:
		goTo("worker passes without a fence", wAct)
	case x.from.fence == started:
		goTo("worker's fence is refused: started", wBehind)
	default:
		x.endIn(work, i, "worker ends a call that is cancelled before its fence", ended)
		x.add("worker stores the fence", work, func(s *state) { s.fence, s.workers[i].at = started, wAct })
		x.add("worker stores the fence and gives the call back", fault, func(s *state) { s.fence, s.workers[i] = started, worker{} })
	}
}

// endIn decides to end a call that this worker has not started.
func (x *steps) endIn(c class, i int, name string, kind outcome) {
	x.add(name, c, func(s *state) {
		w := &s.workers[i]
		w.at, w.out = wEnd, of(kind, w.run)
		if kind == ended && (x.endIdle || x.repeatable) || kind == gaveUp && x.giveUpIdle {
			w.at = wPublish
		}
		if kind == ended && x.transactional {
			w.at = wRefuse
		}
	})
}

// forestall stores the fence after which no delivery starts the call.
func (x *steps) forestall(i int, goTo func(string, uint8)) {
	then := wPublish
	if x.transactional {
		then = wRefuse
	}
	switch x.from.fence {
	case started:
		x.add("worker's end is refused: started", work, func(s *state) { s.workers[i].at, s.workers[i].out = wBehind, noOutcome })
	case endedFirst:
		goTo("worker's end is refused: ended", then)
	default:
		x.add("worker stores the fence that ends the call", work, func(s *state) { s.fence, s.workers[i].at = endedFirst, then })
		x.add("worker stores the fence that ends the call, its acknowledgement is lost", fault, func(s *state) { s.fence = endedFirst })
	}
}

// publish brings the worker's outcome to the results stream.
func (x *steps) publish(i int) {
	w := x.from.workers[i]
	store := func(s *state) {
		s.store(w.out)
		if x.answerFromCopy {
			s.send(w.out)
		}
	}
	next := wSettle
	if x.recordApart {
		next = wRecord
	}
	if x.answerFromCopy {
		x.add("worker's result is refused: the stream is full, dispatchers see it", fault, func(s *state) { s.send(w.out) })
	}
	if x.groups && !w.recheck && w.out.kind() == success {
		x.group(i)
	}
	switch {
	case x.from.result != noOutcome && x.from.grouped && !x.from.other:
		x.add("worker's result is stored after a group", work, func(s *state) { s.other, s.workers[i].at = true, wSettle })
	case x.from.result == noOutcome:
		x.add("worker's result is stored", work, func(s *state) { store(s); s.workers[i].at = next })
		x.add("worker's result is stored, its acknowledgement lost", fault, store)
	default:
		x.add("worker's result is refused: there is one", work, func(s *state) {
			s.workers[i].at = wSettle
			if x.answerFromCopy {
				s.send(w.out)
			}
		})
	}
}

// group stores the worker's outcome in a group, whatever is already stored of the call.
func (x *steps) group(i int) {
	store := func(s *state) {
		if s.result != noOutcome {
			s.other = true
			return
		}
		s.store(x.from.workers[i].out)
		s.grouped = true
	}
	x.add("worker's group is stored", work, func(s *state) { store(s); s.workers[i].at = wSettle })
	x.add("worker's group is stored, its acknowledgement lost", fault, store)
}

// most is the limit up to which actions are counted: repetitions matter only if they
// are forbidden.
func (x *steps) most() uint8 {
	if x.repeatable {
		return 1
	}
	return 2
}
