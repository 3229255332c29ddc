package audit

import (
	"errors"
	"fmt"

	"github.com/helve-dev/helve/protocol"
)

// open reads a seal. An invalid seal is a problem, and is skipped.
func (c *checker) open(data []byte) (*opened, bool) {
	o, err := open(data, c.keys)
	if err == nil && c.tenant == "" {
		c.tenant = o.Tenant
	}
	switch {
	case err == nil && o.Tenant != c.tenant:
		c.forged(o, fmt.Errorf("it is a seal of %q", o.Tenant))
	case errors.Is(err, errForged):
		c.forged(o, err)
	case err != nil:
		c.bad++
		addProblem(&c.report, Place{Seq: o.To}, protocol.ProblemSealChanged, "seal %d is not to be used: %v", o.N, err)
	default:
		return o, true
	}
	return nil, false
}

// numbered is open for the seal that is stored as number n.
func (c *checker) numbered(n uint64, data []byte) (*opened, bool) {
	o, ok := c.open(data)
	if ok && o.N != n {
		c.forged(o, fmt.Errorf("it lies in the place of seal %d", n))
		return nil, false
	}
	return o, ok
}

func (c *checker) forged(o *opened, why error) {
	c.bad++
	addProblem(&c.report, Place{Seq: o.To}, protocol.ProblemSealForged, "seal %d is not to be used: %v", o.N, why)
}

// seal checks a valid seal, once all records up to its end were taken.
func (c *checker) seal(o *opened) {
	if !c.follows(o) {
		return
	}
	c.match(o)
	c.signed(o)
	h := o.head()
	c.last, c.bad = &h, 0
}

// follows reports whether a seal may be at its place in the chain.
func (c *checker) follows(o *opened) bool {
	switch {
	case c.last == nil && o.N == 1:
		if o.From != 1 || o.Prev != (Hash{}) || !o.PrevTime.IsZero() {
			c.forged(o, errors.New("it is not the first of a chain, though it says so"))
			return false
		}
	case c.last == nil:
		// The seals before may have expired with the records they covered. A seal
		// contains the age of its predecessor.
		if gap := o.N - 1; gap > c.bad && !c.partial && !c.aged(o.PrevTime) && o.From > c.from {
			c.lost(1, gap, o)
		}
	case o.N <= c.last.N:
		addProblem(&c.report, Place{Seq: o.To}, protocol.ProblemSealForged, "seal %d stands behind seal %d", o.N, c.last.N)
		return false
	case o.N == c.last.N+1:
		if o.Prev != c.last.Hash || o.From != c.last.To+1 {
			c.forged(o, fmt.Errorf("it does not follow from seal %d", c.last.N))
			return false
		}
	case o.From <= c.last.To:
		c.forged(o, fmt.Errorf("it covers what seal %d covers", c.last.N))
		return false
	default:
		if gap := o.N - c.last.N - 1; gap > c.bad && !c.partial {
			c.lost(c.last.N+1, o.N-1, o)
		}
	}
	return true
}

func (c *checker) lost(from, to uint64, o *opened) {
	if from == to {
		addProblem(&c.report, Place{Seq: o.From}, protocol.ProblemSealMissing, "seal %d is gone, and with it the proof of the records before %d",
			from, o.From)
		return
	}
	addProblem(&c.report, Place{Seq: o.From}, protocol.ProblemSealMissing,
		"seals %d to %d are gone, and with them the proof of the records before %d", from, to, o.From)
}

// end reports open problems after the last record and seal.
func (c *checker) end() protocol.AuditReport {
	if c.tails > 0 {
		addProblem(&c.report, c.tail[0], protocol.ProblemCutOff, "the trail is cut off: of what was sealed, %s from %v to %v are gone",
			plural(int(c.tails), "record"), c.tail[0], c.tailEnd)
	}
	for _, r := range c.held {
		if r.foreign {
			c.foreign(r.at)
		}
	}
	late := !c.since.IsZero() && c.now.Sub(c.since) > sealLate
	if len(c.held) > 0 && late && !c.partial {
		addProblem(&c.report, c.held[0].at, protocol.ProblemUnsealed, "%s not sealed since %s: is a sealer running?",
			plural(len(c.held)+int(c.forgot), "record"), c.since.UTC().Format("2006-01-02 15:04:05Z"))
	}
	c.report.OK = c.report.Found == 0
	if c.report.Problems == nil {
		c.report.Problems = []protocol.AuditProblem{}
	}
	return c.report
}
