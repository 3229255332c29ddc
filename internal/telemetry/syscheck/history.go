package syscheck

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/protocol"
)

// droppedFor is the time for which dropped calls are a finding.
const droppedFor = 24 * time.Hour

// history reports whether calls were dropped from the history before their time was over.
func (c *Checker) history(ctx context.Context) []protocol.Finding {
	d, err := kept.On(c.Queue.Conn).LastDropped(ctx)
	switch {
	case err != nil:
		return away(err)
	case d.At.IsZero() || time.Since(d.At) > droppedFor:
		return ok("kept calls stay for as long as history.keep says")
	}
	of := "all tenants"
	if d.Tenant != "" {
		of = "tenant " + named(d.Tenant)
	}
	return warning("raise max_bytes of history.keep, or keep calls for a shorter time; `history.keep.tools` can leave out a tool",
		"the kept calls of %s reached their bound: %d of the oldest were dropped before their time, last at %s",
		of, d.Calls, d.At.UTC().Format(time.RFC3339))
}
