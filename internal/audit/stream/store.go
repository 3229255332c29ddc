// Package stream keeps the audit trail in JetStream: records, blocks of final records, and
// seals. Package audit checks and exports them without NATS.
//
// It promises that a record was stored when its write returns nil, that a seal with a
// number is written once, that a block is stored only behind the block its writer knew,
// and that readers see messages in the order of the stream. A write without an
// acknowledgement may have stored its record.
package stream

import (
	"context"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// Store is the storage of the audit trail. It keeps nothing itself.
type Store struct {
	conn *natsio.Conn
	subj Subjects
}

// On returns the storage by way of a connection.
func On(c *natsio.Conn) Store { return Store{conn: c, subj: Subjects{c.Tree()}} }

// Notes returns the bucket of the place of the last seal of each tenant, and of the trail.
func (s Store) Notes(ctx context.Context) (*natsio.Bucket, error) {
	return s.conn.Bucket(ctx, streams.BucketSealed)
}

// Subjects builds the subjects of the audit trail.
type Subjects struct {
	subject.Tree
}
