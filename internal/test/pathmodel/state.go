package pathmodel

// state is the complete state of the model, in bytes so that it can be a map's key.
type state struct {
	// Stored by the broker.
	accepted uint8 // acceptance of the call_id
	queued   bool  // a copy of the call has been in the queue at some time
	copies   [2]copied
	fence    uint8
	row      outcome // of the call in the database of a transactional tool
	handed   uint8   // where the direct call is
	result   outcome
	grouped  bool  // the result is in a group
	other    bool  // a second result is stored, in another message
	records  uint8 // final records in the trail, 2 for more than one

	// Outside the broker.
	effects uint8 // number of times the tool acted, 2 for more than once
	runs    uint8 // number of deliveries, at most maxRuns
	moved   bool  // a worker without the tool has returned the call
	told    outcome

	workers     [2]worker
	dispatchers [2]dispatcher
	pumps       [2]pump
}

// The acceptance of the call_id.
const (
	notAccepted uint8 = iota
	acceptedOnce
	released // withdrawn: the queue had no room
	acceptedAgain
)

// copied is one message of the work queue.
type copied struct {
	at    uint8
	again bool // its receiver checks for an earlier attempt
}

// The place of a copy.
const (
	noCopy uint8 = iota
	inQueue
	delivered
)

// The fence of the call.
const (
	noFence    uint8 = iota
	started          // a worker is about to act
	endedFirst       // a dispatcher or a worker has ended the call before it started
)

// outcome is the content of a result: its kind, and the number of the delivery. Results
// of two deliveries differ, as their elements do.
type outcome uint8

const (
	noOutcome outcome = iota
	success
	unknown
	ended
	gaveUp
	second // the outcome of a second result
)

// kinds is the difference of an outcome in two consecutive deliveries.
const kinds = 8

func (o outcome) kind() outcome { return o % kinds }

func of(kind outcome, run uint8) outcome { return kind + outcome(run)*kinds }

// maxRuns is the number of every delivery after the second.
const maxRuns = 2

type worker struct {
	at   uint8
	copy uint8
	run  uint8
	out  outcome
	// recheck is set for a copy that was delivered before or is marked again.
	recheck bool
}

// The next step of a worker with its call.
const (
	wIdle        uint8 = iota
	wTaken             // decide how to continue
	wLookFence         // read the fence
	wProbe             // look for another worker that runs the call
	wFence             // store the fence
	wEnd               // store the fence that ends the call, which has not started
	wAct               // run the tool
	wRefuse            // only transactional: store in the database that the call ends
	wBehind            // read the result: the fence is another worker's
	wBehindProbe       // look for the worker that stored the fence
	wPublish           // publish the outcome
	wRecord            // only with recordApart: write the final record
	wSettle            // acknowledge the copy
)

type dispatcher struct {
	at uint8
	// core is, with answerFromCopy, the worker's message in transit to this process.
	core outcome
}

// The next step of a dispatcher.
const (
	dIdle     uint8 = iota
	dQueue          // queue the call
	dRequeue        // queue it again: the acknowledgement was lost
	dRelease        // withdraw the acceptance: the queue had no room
	dJoined         // queue a copy of a call accepted before, if no worker runs it
	dHanded         // wait for the answer of the worker that the call was handed to
	dWait           // wait for the answer
	dProbe          // the call is ended by a fence: search for a worker that runs it
	dConclude       // publish the result of the ended call
)

// pump is the next step of a process that writes final records into the trail.
type pump uint8

const (
	pIdle  pump = iota
	pWrite      // write the record of the call behind the end of the trail that it read
	pStale      // the same, but another block was written since
)

// canonical returns the state without parts that no step reads, and with
// interchangeable parts in one order: it makes no difference which of two workers,
// dispatchers, pumps or copies does something.
func canonical(s state, d design) state {
	for i := range s.copies {
		if s.copies[i].at == delivered {
			s.copies[i].again = false // the next delivery is one of a copy delivered before
		}
	}
	for i := range s.workers {
		switch w := &s.workers[i]; w.at {
		case wTaken:
		case wSettle, wRecord:
			*w = worker{at: w.at, copy: w.copy}
		case wFence, wAct, wPublish:
			w.recheck = w.recheck && d.groups
		default:
			w.recheck = false
		}
	}
	s.forgetHand()
	if s.result != noOutcome {
		s.queued, s.runs = true, maxRuns
		if !d.answerFromCopy {
			s.forgetRun()
		}
		for i := range s.workers {
			afterResult(&s.workers[i], d)
		}
	}
	if less(s.dispatchers[1].key(), s.dispatchers[0].key()) {
		s.dispatchers[0], s.dispatchers[1] = s.dispatchers[1], s.dispatchers[0]
	}
	if less(uint64(s.pumps[1]), uint64(s.pumps[0])) {
		s.pumps[0], s.pumps[1] = s.pumps[1], s.pumps[0]
	}
	if a, b := s.copies[0], s.copies[1]; less(b.key(), a.key()) {
		s.copies[0], s.copies[1] = b, a
		for i := range s.workers {
			if s.workers[i].at != wIdle && s.workers[i].copy != inHand {
				s.workers[i].copy = 1 - s.workers[i].copy
			}
		}
	}
	if less(s.workers[1].key(), s.workers[0].key()) {
		s.workers[0], s.workers[1] = s.workers[1], s.workers[0]
	}
	return s
}

// forgetRun drops the delivery number of the result: every other result is refused, so
// the number is not needed.
func (s *state) forgetRun() {
	if s.told == noOutcome {
		s.result = s.result.kind()
	}
}

func less(a, b uint64) bool { return a < b }

func (w worker) key() uint64 {
	return uint64(w.at)<<32 | uint64(w.copy)<<24 | uint64(w.run)<<16 | uint64(w.out)<<8 | bit(w.recheck)
}
func (d dispatcher) key() uint64 {
	return uint64(d.at)<<8 | uint64(d.core)
}
func (c copied) key() uint64 { return uint64(c.at)<<8 | bit(c.again) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// afterResult drops the worker's outcome of a call that has a result: any other one is
// refused.
func afterResult(w *worker, d design) {
	if w.at == wIdle || w.at == wSettle || w.at == wRecord {
		return
	}
	w.run = maxRuns
	switch {
	case w.out == noOutcome || d.answerFromCopy:
	case d.groups && w.out.kind() == success:
		w.out = success // it may be stored in a group
	default:
		w.out = unknown
	}
}
