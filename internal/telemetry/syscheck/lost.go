package syscheck

import (
	"strings"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// lostShown bounds the findings about lost workers: the last ones are shown.
const lostShown = 10

// lost names the workers that were killed or cut off lately, nil if there is none.
func (c *Checker) lost() (found []protocol.Finding) {
	all := c.Lost()
	for _, l := range all[max(0, len(all)-lostShown):] {
		id := named(l.ID)
		found = append(found,
			on(id,
				warning("see whether its process was killed (the log of its machine or container) or is cut off from NATS; "+
					"its calls run again on other workers or end in outcome_unknown",
					"worker %s of pool %s was lost at %s without leaving, while it ran %d calls", id, named(strings.Join(l.Pools, ", ")),
					l.At.UTC().Format(time.RFC3339), l.Busy))...)
	}
	return found
}
