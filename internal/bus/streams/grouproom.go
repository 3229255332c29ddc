package streams

import "math"

// GroupRoom returns the bytes of results and records that may be stored in one message with
// others. If such a message is refused, the stream is full for single results too: the part
// of a stream reserved for running calls is larger than a group.
func (b *Store) GroupRoom() int64 { return b.room.group.Load() }

// groupRoom returns the bytes a group may use of a stream: none until its bound is known.
// The caller holds mu.
func (r *room) groupRoom(stream string) int64 {
	switch l := r.streams[stream]; {
	case l == nil || l.bytes.max == 0:
		return 0
	case l.bytes.max < 0:
		return math.MaxInt64
	default:
		return byteMargin.keep(l.bytes) / 2
	}
}
