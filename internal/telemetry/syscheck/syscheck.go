// Package syscheck examines a running system and returns a finding with advice for each of
// its parts.
//
// It promises to change nothing, and a finding for each part whatever does not answer. It
// does not promise to see faults of other dispatchers than its own: ask each of them.
package syscheck

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/protocol"
)

// Checker examines the system that a dispatcher belongs to.
type Checker struct {
	Queue *queue.Queue
	Live  func() fleet.Live
	// Lost returns the workers that were lost lately and are not back.
	Lost    func() []fleet.Lost
	Paused  func(context.Context) (map[string]fleet.Order, error)
	Version string
	// Data is the data directory of this process.
	Data string
	// Index reads from the database of the audit index.
	Index func(context.Context) error
	// SealKey reports whether the key that this process seals with is published.
	SealKey func(context.Context) (published bool, err error)
	// Audit returns how far the seals and the index are behind the trail.
	Audit func(context.Context) (AuditState, error)
	// Expiring returns the number of requests to people that are about to expire.
	Expiring func() int
	// Services counts the entries of services.
	Services func(context.Context) (ServiceState, error)
}

// partTimeout bounds the examination of one part.
const partTimeout = 4 * time.Second

// Check examines every part.
func (c *Checker) Check(ctx context.Context) protocol.CheckReport {
	var report protocol.CheckReport
	for _, part := range []struct {
		name  string
		check func(context.Context) []protocol.Finding
	}{
		{"nats", c.server}, {"clocks", c.clocks}, {"streams", c.streams}, {"consumers", c.consumers}, {"replicas", c.replicas},
		{"permissions", c.permissions}, {"workers", c.workers}, {"pools", c.pools}, {"versions", c.versions},
		{"circuits", c.circuits}, {"policy", c.policy}, {"database", c.database}, {"keys", c.keys}, {"audit", c.audit}, {"consents", c.consents},
		{"services", c.services}, {"disk", c.disk}, {"dead_letters", c.deadLetters}, {"history", c.history},
	} {
		bounded, cancel := context.WithTimeout(ctx, partTimeout)
		found := part.check(bounded)
		cancel()
		for _, f := range found {
			f.Part = part.name
			report.Findings = append(report.Findings, f)
		}
	}
	return report
}

func ok(format string, args ...any) []protocol.Finding {
	return []protocol.Finding{{Level: protocol.FindingOK, Message: fmt.Sprintf(format, args...)}}
}

func warning(advice, format string, args ...any) []protocol.Finding {
	return []protocol.Finding{{Level: protocol.FindingWarning, Message: fmt.Sprintf(format, args...), Advice: advice}}
}

func failure(advice, format string, args ...any) []protocol.Finding {
	return []protocol.Finding{{Level: protocol.FindingError, Message: fmt.Sprintf(format, args...), Advice: advice}}
}

// about names the page of docs/runbooks about findings.
func about(runbook string, found []protocol.Finding) []protocol.Finding {
	for i := range found {
		found[i].Runbook = runbook
	}
	return found
}

// on names what of its part findings are about.
func on(subject string, found []protocol.Finding) []protocol.Finding {
	for i := range found {
		found[i].Subject = subject
	}
	return found
}

// away is the finding for a part that could not be examined.
func away(err error) []protocol.Finding {
	return about("HelveNATSUnavailable",
		failure("see whether NATS runs and answers: the log of this dispatcher has its last error", "not examined: %v", err))
}
