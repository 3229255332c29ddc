package audit

import (
	"time"

	"github.com/helve-dev/helve/protocol"
)

// Lateness is a class of the time between the acceptance of a call and the record of its end.
// The trail is in the order of the ends. A list in the order of acceptance reads each class by
// itself, because the records of a class are that far from their place in the list, not more.
type Lateness int

// Prompt is the class of calls that ended within a minute, which nearly all do. Its records
// have no key in the index.
const Prompt Lateness = 0

// latenesses are the upper bounds of the classes; the last class has none. Each is some times
// the one before, so that few classes reach far and a class holds few calls of others' places.
var latenesses = [...]time.Duration{time.Minute, 15 * time.Minute, 4 * time.Hour, 3 * 24 * time.Hour}

// Latenesses returns all classes but [Prompt].
func Latenesses() []Lateness { return []Lateness{1, 2, 3, Lateness(len(latenesses))} }

// LatenessOf returns the class of a call by the times of its acceptance and of its record.
func LatenessOf(accepted, recorded time.Time) Lateness {
	for class, most := range latenesses {
		if recorded.UnixMicro()-accepted.UnixMicro() <= most.Microseconds() { // as precise as the index
			return Lateness(class)
		}
	}
	return Lateness(len(latenesses))
}

// Most returns the longest time of the class; ok is false if it is not bounded.
func (l Lateness) Most() (most time.Duration, ok bool) {
	if int(l) >= len(latenesses) {
		return 0, false
	}
	return latenesses[l], true
}

// Key returns the value under which the index has the class; nil for [Prompt].
func (l Lateness) Key() []byte {
	if l == Prompt {
		return nil
	}
	return []byte{'0' + byte(l)}
}

// LatenessOfRecord returns the class of the call of a record.
func LatenessOfRecord(r *protocol.AuditRecord) Lateness {
	if r.AcceptedAt == nil {
		return Prompt
	}
	return LatenessOf(*r.AcceptedAt, r.Time)
}
