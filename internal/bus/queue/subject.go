package queue

import (
	"strings"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// Subjects builds and reads the subjects of docs/protocol.md, Subjects, all below
// <prefix>.<tenant>, those of package peer among them.
type Subjects struct {
	peer.Subjects
}

// NewSubjects returns the subjects below prefix, "helve.v1" by default.
func NewSubjects(prefix string) Subjects { return SubjectsOf(subject.New(prefix)) }

// SubjectsOf returns the subjects of a tree.
func SubjectsOf(tree subject.Tree) Subjects { return Subjects{peer.Subjects{Tree: tree}} }

// Call is the subject on which a call for a tool of a pool is queued.
func (s Subjects) Call(tenant, pool, tool string) string { return s.Of(tenant, "call", pool, tool) }

// Lane is the subject on which a call is queued in a lane of its pool. It has the form of
// [Subjects.Call], so that no stream needs another subject for it.
func (s Subjects) Lane(tenant, pool, lane, tool string) string {
	return s.Of(tenant, "call", laneToken(pool, lane), tool)
}

// Result is the subject for the result of a call; pool is the pool that the call was queued
// for, and origin the dispatcher that accepted it. The credential of a worker names its
// pools, so it can store the result of no other pool's call.
func (s Subjects) Result(tenant, pool, origin, callID string) string {
	return s.Of(tenant, "result", pool, origin, callID)
}

// Answer is the subject on which the server republishes a stored result.
func (s Subjects) Answer(tenant, pool, origin, callID string) string {
	return s.Of(tenant, "answer", pool, origin, callID)
}

// Once is the subject of a once-only record of a call: "accepted" or "fence".
func (s Subjects) Once(tenant, callID, what string) string {
	return s.Of(tenant, "once", callID, what)
}

// Dead is the subject for a message that could not be read.
func (s Subjects) Dead(tenant, pool string) string { return s.Of(tenant, "dead", pool) }

// ReadResult reads the subject of a result. All are empty for another subject.
func (s Subjects) ReadResult(subject string) (tenant, pool, origin, callID string) {
	tenant, rest, _ := s.Cut(subject)
	rest, ok := strings.CutPrefix(rest, "result.")
	if !ok {
		return "", "", "", ""
	}
	pool, rest, _ = strings.Cut(rest, ".")
	if origin, callID, ok = strings.Cut(rest, "."); !ok {
		return "", "", "", ""
	}
	return tenant, pool, origin, callID
}
