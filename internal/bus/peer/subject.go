package peer

import (
	"strings"

	"github.com/helve-dev/helve/internal/bus/subject"
)

// Subjects builds and reads the subjects of requests between processes, of docs/protocol.md,
// Subjects.
type Subjects struct {
	subject.Tree
}

// API is the subject of a request for an operation.
func (s Subjects) API(tenant, operation string) string { return s.Of(tenant, "api", operation) }

// As is the subject of a request for an operation by a person whom the NATS server
// authenticates: only that person's account may publish there.
func (s Subjects) As(tenant, person, operation string) string {
	return s.Of(tenant, "as", person, "api", operation)
}

// Cancel is the subject of a request to stop a call.
func (s Subjects) Cancel(tenant, callID string) string { return s.Of(tenant, "cancel", callID) }

// Probe is the subject of a request for the owner of a call.
func (s Subjects) Probe(tenant, callID string) string { return s.Of(tenant, "probe", callID) }

// Awaits is the subject on which a dispatcher is notified that a call it waits for is
// parked.
func (s Subjects) Awaits(tenant, origin, callID string) string {
	return s.Of(tenant, "awaits", origin, callID)
}

// asker returns the tenant of a request's subject, and the person if it names one.
func (s Subjects) asker(subject string) Asker {
	tenant, rest, _ := s.Cut(subject)
	a := Asker{Tenant: tenant}
	if rest, ok := strings.CutPrefix(rest, "as."); ok {
		if person, operation, _ := strings.Cut(rest, "."); strings.Contains(operation, ".") { // api and its name
			a.Person = person
		}
	}
	return a
}
