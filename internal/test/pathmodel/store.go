package pathmodel

// commit commits the changes of a transactional tool with the result, unless the call has
// a row in the database: then that is the outcome.
func (x *steps) commit(i int) {
	store := func(s *state) {
		if s.row == noOutcome || x.noRow {
			s.row = of(success, x.from.workers[i].run)
			s.effects = min(s.effects+1, x.most())
		}
	}
	x.add("worker commits the changes with the result", work, func(s *state) {
		store(s)
		s.workers[i].at, s.workers[i].out = wPublish, s.row
	})
	x.add("worker commits the changes with the result, the answer is lost", fault, func(s *state) {
		store(s)
		s.workers[i] = worker{}
	})
}

// refuse stores that a call ends without its changes, unless it has a row: then that is
// the outcome.
func (x *steps) refuse(i int) {
	x.add("worker stores in the database that the call ends", work, func(s *state) {
		w := &s.workers[i]
		if s.row == noOutcome {
			s.row = w.out
		}
		w.at, w.out = wPublish, s.row
	})
}
