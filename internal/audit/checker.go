package audit

import (
	"time"

	"github.com/helve-dev/helve/protocol"
)

// checker checks the records of one tenant against its seals. It receives the records
// in order, and each seal after the records it covers.
type checker struct {
	report protocol.AuditReport
	keys   keyring
	// tenant is the tenant of the trail; "" means the tenant of the first seal.
	tenant string
	// now is the time of the trail's state; keep is the retention of records, 0 for
	// unlimited; first is the first existing place, which retention has moved.
	now   time.Time
	keep  time.Duration
	first uint64
	// from is the first place that must exist, 0 for any.
	from uint64
	// refresh, if set, returns the current first place.
	refresh func() uint64
	// partial is set if only some of the records are here on purpose.
	partial bool
	// counted is set if the part of a record is only the number of its line: it changes
	// when a line before it is removed or added.
	counted bool

	last *head // of the last valid seal
	bad  uint64
	// held lists the records since the last seal; since is the time of the first of
	// them.
	held  []record
	since time.Time
	// forgot is the number of records beyond those that can be held.
	forgot uint64
	seen   Place // the highest place of a record
	// tail lists the records that are missing after the last seen one, and tailEnd is
	// the last of them.
	tail    []Place
	tailEnd Place
	tails   uint64
	// gone is the number of messages whose records are all missing.
	gone uint64
}

// record is the part of a record that is kept until its seal arrives.
type record struct {
	at   Place
	hash Hash
	// foreign is set if the bytes are not a record.
	foreign bool
	// extra marks a line of a message that exceeds the sealed number of lines.
	extra bool
}

// checkMost limits the records that wait for a seal: no regular seal covers more.
const checkMost = 1 << 20

// keepSlack is the tolerance for early retention, and for a late seal.
const keepSlack = time.Hour

// take checks a message at a place. about is the last token of its subject, "" if
// unknown; when returns the time of the message, and is called only if it is needed.
func (c *checker) take(at Place, about string, data []byte, when func() time.Time) {
	c.report.Records++
	if c.last != nil && at.Seq <= c.last.To {
		addProblem(&c.report, at, protocol.ProblemReordered, "record %v stands behind the seal that covers it", at)
		return
	}
	if at.Compare(c.seen) < 0 && !(c.counted && at.Seq == c.seen.Seq) {
		addProblem(&c.report, at, protocol.ProblemReordered, "record %v stands behind record %v", at, c.seen)
	} else if at.Compare(c.seen) > 0 {
		c.seen = at
	}
	c.untail()
	if len(c.held) == 0 {
		c.since = when()
	}
	if len(c.held) >= checkMost {
		c.held = append(c.held[:0], c.held[checkMost/2:]...)
		c.forgot += checkMost / 2
	}
	c.held = append(c.held, record{at: at, hash: digest(data), foreign: !isRecord(c.tenant, about, data)})
}

// untail reports missing records in the middle: a later record exists.
func (c *checker) untail() {
	if c.tails == 0 {
		return
	}
	for _, at := range c.tail {
		c.missing(at)
	}
	c.report.Found += c.tails - uint64(len(c.tail))
	c.tail, c.tails = c.tail[:0], 0
}

func (c *checker) missing(at Place) {
	addProblem(&c.report, at, protocol.ProblemMissing, "record %v was sealed and is not there", at)
}

// retired reports whether retention explains a missing record: all records before it
// are missing too, and it was old enough.
func (c *checker) retired(o *opened, seq uint64) bool {
	if seq < c.from {
		return true
	}
	if !c.aged(o.Time) {
		return false
	}
	if seq >= c.first && c.refresh != nil {
		c.first = c.refresh() // it advances during the verification
	}
	return seq < c.first
}

// aged reports whether a message written at t need not be kept any more.
func (c *checker) aged(t time.Time) bool {
	return c.keep > 0 && t.Add(c.keep).Before(c.now.Add(keepSlack))
}
