package audit

import (
	"slices"
	"time"
)

// checker holds the records of one tenant against its seals, as they come: the
// records in order, each seal behind the records it covers.
type checker struct {
	report Report
	keys   keyring
	// tenant is whose trail it is; "" takes that of the first seal.
	tenant string
	// now is when the trail was as it is; keep is how long records are kept, 0
	// for ever; first is the first place there is, which retention has moved.
	now   time.Time
	keep  time.Duration
	first uint64
	// from is the first place that must be there, 0 for any.
	from uint64
	// refresh, if set, says anew what the first place is.
	refresh func() uint64
	// partial says that only some of the records are here, on purpose.
	partial bool

	last *head // of the last good seal
	bad  uint64
	// held are the records since the last seal; since is when the first of
	// them was written.
	held  []record
	since time.Time
	// forgot is how many more records there were than can be held.
	forgot uint64
	seen   uint64 // the highest place of a record
	// tail are the records that are gone behind the last one seen.
	tail  []uint64
	tails uint64
	gone  uint64 // missing records
}

// record is what is remembered of a record until its seal comes.
type record struct {
	seq  uint64
	hash Hash
}

// checkMost bounds the records that wait for a seal: no honest seal covers more.
const checkMost = 1 << 20

// Time that retention may be early, or a seal late.
const keepSlack = time.Hour

// take looks at a record; at is when it was written, called if that matters.
func (c *checker) take(seq uint64, data []byte, at func() time.Time) {
	c.report.Records++
	if c.last != nil && seq <= c.last.To {
		c.report.add(seq, Reordered, "record %d stands behind the seal that covers it", seq)
		return
	}
	if seq < c.seen {
		c.report.add(seq, Reordered, "record %d stands behind record %d", seq, c.seen)
	}
	c.seen = max(c.seen, seq)
	c.untail()
	if len(c.held) == 0 {
		c.since = at()
	}
	if len(c.held) >= checkMost {
		c.held = append(c.held[:0], c.held[checkMost/2:]...)
		c.forgot += checkMost / 2
	}
	c.held = append(c.held, record{seq, digest(data)})
}

// untail tells of records that are gone in the middle: one came after them.
func (c *checker) untail() {
	if c.tails == 0 {
		return
	}
	for _, seq := range c.tail {
		c.missing(seq)
	}
	more := c.tails - uint64(len(c.tail))
	c.report.Found, c.gone = c.report.Found+more, c.gone+more
	c.tail, c.tails = c.tail[:0], 0
}

func (c *checker) missing(seq uint64) {
	c.gone++
	c.report.add(seq, Missing, "record %d was sealed and is not there", seq)
}

// match holds the records against the seal that covers them.
func (c *checker) match(o *opened) {
	if !slices.IsSortedFunc(c.held, inOrder) {
		slices.SortStableFunc(c.held, inOrder)
	}
	i, at := 0, 0 // the next leaf, the next record
	for ; at < len(c.held) && c.held[at].seq <= o.To; at++ {
		r := c.held[at]
		for i < o.len() && o.seqs[i] < r.seq {
			c.absent(o, o.seqs[i])
			i++
		}
		switch {
		case r.seq < o.From:
			// Covered by a seal that is gone itself.
		case i < o.len() && o.seqs[i] == r.seq:
			if o.hashes[i] != leaf(r.seq, r.hash) {
				c.wrong(o, r, Changed, "record %d is not what was sealed")
			}
			i++
		case at > 0 && c.held[at-1].seq == r.seq:
			c.report.add(r.seq, Added, "record %d is there more than once", r.seq)
		default:
			c.wrong(o, r, Added, "record %d was not there when its seal was made")
		}
	}
	for ; i < o.len(); i++ {
		c.absent(o, o.seqs[i])
	}
	c.held, c.forgot = append(c.held[:0], c.held[at:]...), 0
	c.report.SealedTo = o.To
}

func inOrder(a, b record) int {
	switch {
	case a.seq < b.seq:
		return -1
	case a.seq > b.seq:
		return 1
	}
	return 0
}

// wrong tells of a record that is not what was sealed. One that was sealed at
// another place has been moved.
func (c *checker) wrong(o *opened, r record, kind Kind, detail string) {
	if len(c.report.Problems) < MaxProblems {
		for i, seq := range o.seqs {
			if o.hashes[i] == leaf(seq, r.hash) {
				c.report.add(r.seq, Reordered, "record %d is the one that was sealed as %d", r.seq, seq)
				return
			}
		}
	}
	c.report.add(r.seq, kind, detail, r.seq)
}

// absent looks at a record that was sealed and is not there.
func (c *checker) absent(o *opened, seq uint64) {
	switch {
	case c.partial, c.retired(o, seq):
	case seq > c.seen:
		c.tails++
		if len(c.tail) < MaxProblems {
			c.tail = append(c.tail, seq)
		}
	default:
		c.missing(seq)
	}
}

// retired reports whether retention explains that a record is gone: all before
// it is gone too, and it was old enough.
func (c *checker) retired(o *opened, seq uint64) bool {
	if seq < c.from {
		return true
	}
	if !c.aged(o.Time) {
		return false
	}
	if seq >= c.first && c.refresh != nil {
		c.first = c.refresh() // it moves on while we look
	}
	return seq < c.first
}

// aged reports whether what was written at t need not be kept any more.
func (c *checker) aged(t time.Time) bool {
	return c.keep > 0 && t.Add(c.keep).Before(c.now.Add(keepSlack))
}
