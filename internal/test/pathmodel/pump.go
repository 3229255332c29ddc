package pathmodel

// trail adds the steps that write a record into the trail, once there is a result.
func (x *steps) trail() {
	if x.from.result == noOutcome {
		x.add("a result is stored", work, func(s *state) { s.result = of(unknown, 1) })
	}
	for i := range x.from.pumps {
		x.pump(i)
	}
	if x.groups && x.from.result != noOutcome && !x.from.other {
		x.add("a second result is stored", work, func(s *state) { s.other = true })
	}
	if x.from.pumps != [2]pump{} {
		x.add("a block of other calls is written", work, func(s *state) { s.written() })
	}
}

// pump adds the steps of one of the processes that copy final records from results into
// the trail. Both may believe that they hold the lease. A pump reads the end of the
// trail and the results that are missing in it, then writes the block exactly after
// that end, or not at all. A pump that crashes, or whose acknowledgement is lost, reads
// again.
func (x *steps) pump(i int) {
	if x.from.result == noOutcome {
		return
	}
	switch at := x.from.pumps[i]; at {
	case pIdle:
		if x.from.records == 0 || x.forgetfulPump && x.from.other {
			x.add("pump reads the result", work, func(s *state) { s.pumps[i] = pWrite })
		}
	case pStale, pWrite:
		if at == pStale && !x.unfencedPump {
			x.add("pump's block is refused", work, func(s *state) { s.pumps[i] = pIdle })
			return
		}
		x.add("pump writes the block", work, func(s *state) {
			s.written()
			s.records = min(s.records+1, 2)
			s.pumps[i] = pIdle
		})
		x.add("pump crashes", fault, func(s *state) { s.pumps[i] = pIdle })
	}
}

// written invalidates the ends of the trail that pumps have read.
func (s *state) written() {
	for i := range s.pumps {
		if s.pumps[i] == pWrite {
			s.pumps[i] = pStale
		}
	}
}
