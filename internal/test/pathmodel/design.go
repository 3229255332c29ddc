package pathmodel

// design selects the modelled design. The zero value is the design of this repository.
type design struct {
	// repeatable is a tool without side effects: it runs without a fence.
	repeatable bool

	// transactional is a tool whose changes are committed in a database with the call's
	// result: it runs without a fence, and a call that has a row there is not committed
	// again.
	transactional bool

	// groups allows a worker to store the result in a group, for a first delivery. Only
	// results of repeatable tools are grouped.
	groups bool

	// direct allows a dispatcher to hand the call to a worker before it is queued. Only
	// calls of repeatable tools are direct. With it no worker returns a call: dispatchers
	// queue copies in as many ways, and there are half as many states.
	direct bool

	// pumps models only the path of the record from the result into the trail: it reads
	// nothing but the result, and nothing of the call reads the trail.
	pumps bool

	// Faults of earlier designs, and of this one with a part removed.

	// answerFromCopy makes dispatchers answer from the worker's own message, which the
	// stream may refuse.
	answerFromCopy bool
	// recordApart writes the final record separately from the result, and again by
	// every worker that gets a call whose worker was lost.
	recordApart bool
	// bySubject makes dispatchers read the result with its own subject, and ignore a
	// group that was stored before it.
	bySubject bool
	// forgetfulPump makes a pump write the record of every result that it reads, even
	// of a second one.
	forgetfulPump bool
	// unfencedPump allows writing a block wherever the trail ends.
	unfencedPump bool
	// noRow commits changes without the row of the call.
	noRow bool
	// endDelivered allows a dispatcher to end a call of a transactional tool that was
	// delivered.
	endDelivered bool
	// noFence allows a tool with side effects to act without a fence.
	noFence bool
	// endIdle allows a worker to end a call that was cancelled, or waited too long,
	// without a fence that prevents others from starting it.
	endIdle bool
	// giveUpIdle allows a worker to give up a call that was delivered too often without
	// that fence.
	giveUpIdle bool
	// pendingUnqueued allows a dispatcher to answer a direct call as pending that is not
	// queued.
	pendingUnqueued bool
	// ackFirst acknowledges a returned call before its copy is stored.
	ackFirst bool
}

// class is the cause of a step, to decide what must happen without faults.
type class uint8

const (
	work   class = iota // steps of programs and the broker
	caller              // a request
	fault               // a crash, a lost message, a premature timeout
)

// step is one step from a state.
type step struct {
	name  string
	class class
	to    state
}

// steps collects the possible steps from one state.
type steps struct {
	design
	from state
	all  []step
}

func (x *steps) add(name string, c class, change func(*state)) {
	to := x.from
	change(&to)
	x.all = append(x.all, step{name, c, canonical(to, x.design)})
}

// next returns every step from s.
func (d design) next(s state, into []step) []step {
	x := &steps{design: d, from: s, all: into[:0]}
	if d.pumps {
		x.trail()
		return x.all
	}
	for i := range s.dispatchers {
		x.dispatcher(i)
	}
	for i := range s.workers {
		x.worker(i)
	}
	x.broker()
	return x.all
}

// broken returns the promise that s violates, or "".
func (d design) broken(s state) string {
	kind := s.result.kind()
	switch {
	case s.told != noOutcome && s.result != noOutcome && s.told != s.result:
		return "an answer differs from the stored result"
	case s.effects > 1 && !d.repeatable:
		return "a tool with side effects acted twice"
	case s.row.kind() == success && kind != noOutcome && kind != success:
		return "a call whose changes are committed has another outcome"
	case s.records > 1:
		return "a call has two final records"
	case kind == ended && s.effects > 0 && !d.repeatable:
		return "a call that was ended before it started has acted"
	case kind == gaveUp && s.effects > 0 && !d.repeatable:
		return "a call that was given up without a start has acted"
	case kind == success && s.effects == 0:
		return "a call that did not act has succeeded"
	case s.records > 0 && s.result == noOutcome:
		return "a call without a result has a final record"
	}
	return ""
}
