package dispatch

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/google/uuid"
)

// idMark is where a made call_id carries its mark.
const idMark = 14

// NewID returns a new call_id. It is a UUIDv7 that any dispatcher can distinguish from a
// caller's own: a call under it may run without an acceptance, so a request with it that is
// not marked as fresh may be a repetition.
func NewID() string {
	id := uuid.Must(uuid.NewV7())
	binary.BigEndian.PutUint16(id[idMark:], mark(id))
	return id.String()
}

// madeID reports whether a dispatcher made the call_id. One in 65,536 of other
// UUIDs looks so too; that costs a look for an earlier attempt, nothing more.
func madeID(callID string) bool {
	id, err := uuid.Parse(callID)
	return err == nil && binary.BigEndian.Uint16(id[idMark:]) == mark(id)
}

// made reports whether no caller chose the id of the call: a dispatcher made it, or it is that of
// a step of a program.
func (c *Call) made() bool { return c.Parent != "" || madeID(c.ID) }

// madeAt returns the time at which a dispatcher made the call_id, to the millisecond; zero if
// none did.
func madeAt(callID string) time.Time {
	if !madeID(callID) {
		return time.Time{}
	}
	return time.Unix(uuid.MustParse(callID).Time().UnixTime())
}

func mark(id uuid.UUID) uint16 { return uint16(crc32.ChecksumIEEE(id[:idMark])) }
