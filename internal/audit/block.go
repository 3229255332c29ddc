package audit

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"strconv"
	"strings"
)

const (
	// BlockAbout is the last subject token of a message that holds one record per line.
	BlockAbout = "helve.block"
	// MaxParts is the maximum number of records of a message.
	MaxParts = 1000
)

// Place is the place of a record in the trail: Seq is the place of its message in the
// stream, from 1, and Part the index of the record in that message, from 0 and below
// [MaxParts]. Records are ordered by Seq, then by Part.
type Place struct {
	Seq  uint64
	Part int
}

// Compare returns -1, 0 or 1 if p is before, at or after q.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Seq, q.Seq), cmp.Compare(p.Part, q.Part))
}

// String returns "7" for part 0 of message 7, and "7.3" for part 3.
func (p Place) String() string {
	s := strconv.FormatUint(p.Seq, 10)
	if p.Part == 0 {
		return s
	}
	return s + "." + strconv.Itoa(p.Part)
}

var errPlace = errors.New("it is no place in the audit trail")

// ParsePlace parses the output of String. It also accepts the place 0, which is before
// every record.
func ParsePlace(text string) (p Place, err error) {
	seq, part, _ := strings.Cut(text, ".")
	if p.Seq, err = strconv.ParseUint(seq, 10, 63); err != nil {
		return Place{}, errPlace
	}
	if part != "" {
		if p.Part, err = strconv.Atoi(part); err != nil || p.Part < 1 || p.Part >= MaxParts {
			return Place{}, errPlace
		}
	}
	if p.String() != text {
		return Place{}, errPlace
	}
	return p, nil
}

// leastRecord is a length that every record reaches, in bytes.
const leastRecord = 64

// Records returns the records of a message with their parts, as slices of data. A
// message about [BlockAbout] holds one record per line; any other message is one
// record, whatever bytes it holds. There is always at least one record, and it may be
// empty. The returned bytes may not be a valid record, because every publisher can
// store anything. So that a small message does not cause a large seal, adjacent lines
// that are too short for a record are joined until they have [leastRecord] bytes or
// more. If a message has more records than [MaxParts], the last one is the rest of
// them.
func Records(about string, data []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		part := 0
		for about == BlockAbout && part < MaxParts-1 {
			end := lineEnd(data)
			if end < 0 {
				break
			}
			if !yield(part, data[:end:end]) {
				return
			}
			part, data = part+1, data[end+1:]
		}
		yield(part, data)
	}
}

// lineEnd returns the end of the first line of data, or of the first short lines that
// are joined; -1 if that is all of data.
func lineEnd(data []byte) int {
	end := bytes.IndexByte(data, '\n')
	for end >= 0 && end < leastRecord {
		rest := data[end+1:]
		next := bytes.IndexByte(rest, '\n')
		switch {
		case next >= leastRecord, next < 0 && len(rest) >= leastRecord:
			return end
		case next < 0:
			return -1
		}
		end += 1 + next
	}
	return end
}

var newline = []byte{'\n'}

// Records returns the records of the message, as [Records] does.
func (m *Message) Records() iter.Seq2[int, []byte] { return Records(m.About, m.Data) }

// recordAbout returns what the subject states that a record of the message is about, or
// "" if the message holds one record per line.
func (m *Message) recordAbout() string {
	if m.About == BlockAbout {
		return ""
	}
	return m.About
}
