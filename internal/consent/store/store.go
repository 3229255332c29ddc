// Package store keeps what consents need in JetStream: calls that wait for a person,
// verdicts, the inbox of each user, timers, and once-only records of tokens.
//
// It promises that a call is parked once under a consent, that the first valid verdict in
// the order of the stream is the verdict of a consent for every process, and that the
// server bounds the requests in an inbox, however many workers write. It does not judge
// messages: package consent does, with a function that reports whether one is valid.
package store

import (
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// Store is the storage of consents. It keeps nothing itself.
type Store struct {
	queue *queue.Queue
	subj  Subjects
}

// On returns the storage by way of a connection.
func On(q *queue.Queue) Store { return Store{queue: q, subj: Subjects{q.Conn.Tree()}} }

// Subjects builds the subjects of consents.
type Subjects struct {
	subject.Tree
}
