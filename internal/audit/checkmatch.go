package audit

import (
	"slices"

	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/protocol"
)

// match checks the records against the seal that covers them.
func (c *checker) match(o *opened) {
	if !slices.IsSortedFunc(c.held, inOrder) {
		slices.SortStableFunc(c.held, inOrder)
	}
	if c.counted {
		c.align(o)
	}
	i, at := 0, 0 // the next leaf, the next record
	for ; at < len(c.held) && c.held[at].at.Seq <= o.To; at++ {
		r := c.held[at]
		if r.extra {
			addProblem(&c.report, r.at, protocol.ProblemAdded, "record %v was not there when its seal was made", r.at)
			continue
		}
		for i < o.len() && o.places[i].Compare(r.at) < 0 {
			c.absent(o, o.places[i], o.places[i].Seq == r.at.Seq)
			i++
		}
		switch {
		case r.at.Seq < o.From:
			// Covered by a seal that is missing itself.
		case i < o.len() && o.places[i] == r.at:
			c.compare(o, r, o.hashes[i])
			i++
		case at > 0 && c.held[at-1].at == r.at:
			addProblem(&c.report, r.at, protocol.ProblemAdded, "record %v is there more than once", r.at)
		default:
			c.wrong(o, r, protocol.ProblemAdded, "record %v was not there when its seal was made")
		}
	}
	for ; i < o.len(); i++ {
		c.absent(o, o.places[i], at > 0 && c.held[at-1].at.Seq == o.places[i].Seq)
	}
	c.held, c.forgot = append(c.held[:0], c.held[at:]...), 0
	c.report.SealedTo = o.To
}

// align matches the lines of messages that have more or fewer lines than were sealed,
// so that the removed or added lines are named, and not all lines after them.
func (c *checker) align(o *opened) {
	i := 0 // the next leaf
	var to int
	for from := 0; from < len(c.held) && c.held[from].at.Seq <= o.To; from = to {
		seq := c.held[from].at.Seq
		to = from + 1
		for to < len(c.held) && c.held[to].at.Seq == seq {
			to++
		}
		for i < o.len() && o.places[i].Seq < seq {
			i++
		}
		if i == o.len() || o.places[i].Seq != seq {
			continue
		}
		if end := o.message(i); end-i != to-from && c.held[to-1].at.Part == to-from-1 {
			alignMessage(c.held[from:to], o.hashes[i:end])
			if last := c.held[to-1].at; last.Compare(c.seen) > 0 {
				c.seen = last
			}
		}
	}
}

// alignMessage gives the last lines of a message the parts under which they were
// sealed, and marks the excess lines between the first and the last ones.
func alignMessage(lines []record, sealed []Hash) {
	is := func(r record, part int) bool {
		at := Place{r.at.Seq, part}
		_, same := sealedAs(sealed[part], at, r.hash)
		return same || sealed[part] == foreignLeaf(at, r.hash)
	}
	same, most := 0, min(len(lines), len(sealed))
	for same < most && is(lines[same], same) {
		same++
	}
	shift, end := len(sealed)-len(lines), len(lines)
	for end > same && end+shift > same && is(lines[end-1], end-1+shift) {
		end--
		lines[end].at.Part += shift
	}
	for i := max(end+shift, same); i < end; i++ {
		lines[i].extra = true
	}
}

// compare checks a record against its leaf.
func (c *checker) compare(o *opened, r record, want Hash) {
	writer, same := sealedAs(want, r.at, r.hash)
	switch {
	case same && r.foreign, want == foreignLeaf(r.at, r.hash):
		c.foreign(r.at)
	case !same:
		c.wrong(o, r, protocol.ProblemChanged, "record %v is not what was sealed")
	case writer == proof.Forged:
		addProblem(&c.report, r.at, protocol.ProblemForged, forgedDetail, r.at)
	case writer == proof.Unknown:
		c.report.Unproven++
	}
}

// forgedDetail is the problem of a record whose writer has no proof.
const forgedDetail = "record %v was not written by the process that it names, or by none of Helve's; check who may publish there"

func (c *checker) foreign(at Place) {
	addProblem(&c.report, at, protocol.ProblemForeign,
		"place %v holds bytes that are no record of this tenant and of the tool its subject names; check who may publish there", at)
}

func inOrder(a, b record) int { return a.at.Compare(b.at) }

// wrong reports a record that differs from the sealed one. If it was sealed at another
// place, it has been moved.
func (c *checker) wrong(o *opened, r record, kind protocol.AuditProblemKind, detail string) {
	if len(c.report.Problems) < MaxProblems {
		for i, at := range o.places {
			if _, moved := sealedAs(o.hashes[i], at, r.hash); moved {
				addProblem(&c.report, r.at, protocol.ProblemReordered, "record %v is the record that was sealed as %v", r.at, at)
				return
			}
		}
	}
	addProblem(&c.report, r.at, kind, detail, r.at)
}

// absent checks a record that was sealed and is missing; partly is set if other records
// of its message exist.
func (c *checker) absent(o *opened, at Place, partly bool) {
	if c.partial || c.retired(o, at.Seq) {
		return
	}
	if at.Part == 0 && !partly {
		c.gone++
	}
	if at.Compare(c.seen) <= 0 {
		c.missing(at)
		return
	}
	c.tails, c.tailEnd = c.tails+1, at
	if len(c.tail) < MaxProblems {
		c.tail = append(c.tail, at)
	}
}
