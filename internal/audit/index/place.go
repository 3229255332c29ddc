package index

import "github.com/helve-dev/helve/internal/audit"

// place is an [audit.Place] as one number with the same order: the place of the message
// in the stream, and in the lowest partBits the part.
type place int64

const (
	partBits = 10
	// lastPlace is after every record.
	lastPlace = place(1<<63 - 1)
)

func placeOf(p audit.Place) place { return place(p.Seq)<<partBits | place(p.Part) }

// firstIn returns the place of the first record of a message.
func firstIn(seq uint64) place { return place(seq) << partBits }

func (p place) seq() uint64 { return uint64(p >> partBits) }

func (p place) part() int { return int(p & (1<<partBits - 1)) }

func (p place) audit() audit.Place { return audit.Place{Seq: p.seq(), Part: p.part()} }

// record is a record of the stream, or of a chunk.
type record struct {
	at   place
	data []byte
}
