package syscheck

import (
	"context"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// AuditState is the lag of what follows the audit trail.
type AuditState struct {
	// Unsealed is the age of the oldest record without a seal, 0 if there is none.
	Unsealed time.Duration
	// Unindexed is the number of stored messages that the index of this process lacks.
	Unindexed uint64
}

// The bounds of the alerts HelveSealLag and HelveAuditIndexBehind.
const (
	sealLate    = time.Minute
	indexBehind = 10_000
)

func (c *Checker) audit(ctx context.Context) []protocol.Finding {
	s, err := c.Audit(ctx)
	if err != nil {
		return away(err)
	}
	var found []protocol.Finding
	if s.Unsealed > sealLate {
		found = about("HelveSealLag", failure("see whether a dispatcher holds the lease for sealing, and its log",
			"audit records have waited for a seal for %s", s.Unsealed.Round(time.Second)))
	}
	if s.Unindexed > indexBehind {
		found = append(found, about("HelveAuditIndexBehind", warning("no record is lost; see whether the database of store.url is slow",
			"the audit index is %d messages behind: queries do not find the newest records", s.Unindexed))...)
	}
	if found == nil {
		found = ok("the seals and the index are current")
	}
	return found
}

func (c *Checker) consents(context.Context) []protocol.Finding {
	if n := c.Expiring(); n > 0 {
		return about("HelveConsentsExpiring",
			warning("somebody must decide them in the inbox, or with `helve consent list`; an expired call ends in permission_denied",
				"%d requests wait for a person and have less than a quarter of their time left", n))
	}
	return ok("no request to a person is about to expire")
}
