package events

import "github.com/helve-dev/helve/internal/bus/subject"

// Subjects builds the subjects of events, of docs/protocol.md, Subjects.
type Subjects struct {
	subject.Tree
}

// Event is the subject on which the steps of a call are published.
func (s Subjects) Event(tenant, traceID, callID string) string {
	return s.Of(tenant, "event", traceID, callID)
}

// Replay is the subject of a request to every process for its events of a trace.
func (s Subjects) Replay(tenant, traceID string) string { return s.Of(tenant, "replay", traceID) }
