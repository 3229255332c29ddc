package audit

import (
	"errors"
	"fmt"
)

// open reads a seal. One that is not good is a problem, and is passed over.
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
		c.report.add(o.To, SealChanged, "seal %d is not to be used: %v", o.N, err)
	default:
		return o, true
	}
	return nil, false
}

func (c *checker) forged(o *opened, why error) {
	c.bad++
	c.report.add(o.To, SealForged, "seal %d is not to be used: %v", o.N, why)
}

// seal looks at a seal that was opened, once all records up to its end were
// taken.
func (c *checker) seal(o *opened) {
	if !c.follows(o) {
		return
	}
	c.match(o)
	h := o.head()
	c.last, c.bad = &h, 0
}

// follows reports whether a seal may stand where it stands.
func (c *checker) follows(o *opened) bool {
	switch {
	case c.last == nil && o.N == 1:
		if o.From != 1 || o.Prev != (Hash{}) || !o.PrevTime.IsZero() {
			c.forged(o, errors.New("it is not the first of a chain, though it says so"))
			return false
		}
	case c.last == nil:
		// Those before may have gone with the records they covered. A seal says
		// how old the one before it was.
		if gap := o.N - 1; gap > c.bad && !c.partial && !c.aged(o.PrevTime) && o.From > c.from {
			c.lost(1, gap, o)
		}
	case o.N <= c.last.N:
		c.report.add(o.To, SealForged, "seal %d stands behind seal %d", o.N, c.last.N)
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
		c.report.add(o.From, SealMissing, "seal %d is gone, and with it the proof of the records before %d", from, o.From)
		return
	}
	c.report.add(o.From, SealMissing, "seals %d to %d are gone, and with them the proof of the records before %d", from, to, o.From)
}

// end tells of what is open when all was seen.
func (c *checker) end() Report {
	if c.tails > 0 {
		c.report.add(c.tail[0], CutOff, "the trail is cut off: of what was sealed, %s from %d to %d are gone",
			plural(int(c.tails), "record"), c.tail[0], c.last.To)
	}
	late := !c.since.IsZero() && c.now.Sub(c.since) > sealLate
	if len(c.held) > 0 && late && !c.partial {
		c.report.add(c.held[0].seq, Unsealed, "%s not sealed since %s: is a sealer running?",
			plural(len(c.held)+int(c.forgot), "record"), c.since.UTC().Format("2006-01-02 15:04:05Z"))
	}
	c.report.OK = c.report.Found == 0
	if c.report.Problems == nil {
		c.report.Problems = []Problem{}
	}
	return c.report
}
