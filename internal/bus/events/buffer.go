package events

import (
	"bytes"
	"hash/maphash"
	"sync"
	"time"
)

// buffer keeps the events that this process published, to replay them for a late
// listener. It is bounded in time and in size. It consists of a few large blocks without
// pointers: a ring of small ones gave the garbage collector more to do than the calls did.
type buffer struct {
	keep time.Duration
	seed maphash.Seed

	mu     sync.Mutex
	blocks [bufferBlocks]block
	now    int // the block that is being written
}

const (
	bufferBlocks = 16
	blockBytes   = 1 << 20
)

// block is filled once and then replaced completely.
type block struct {
	data    []byte
	entries []told
}

// told is the position of an event in its block.
type told struct {
	trace uint64 // hash of tenant and trace_id
	at    int64  // unix nanoseconds
	from  uint32
	to    uint32
}

func newBuffer(keep time.Duration) *buffer {
	return &buffer{keep: keep, seed: maphash.MakeSeed()}
}

func (j *buffer) hash(tenant, traceID string) uint64 {
	var h maphash.Hash
	h.SetSeed(j.seed)
	_, _ = h.WriteString(tenant)
	_ = h.WriteByte('/')
	_, _ = h.WriteString(traceID)
	return h.Sum64()
}

// add stores a copy of data. An event larger than a block is not kept.
func (j *buffer) add(tenant, traceID string, now time.Time, data []byte) {
	if len(data) > blockBytes {
		return
	}
	trace := j.hash(tenant, traceID)
	j.mu.Lock()
	defer j.mu.Unlock()
	b := &j.blocks[j.now]
	if len(b.data)+len(data) > blockBytes {
		j.now = (j.now + 1) % bufferBlocks
		b = &j.blocks[j.now]
		b.data, b.entries = b.data[:0], b.entries[:0]
	}
	if b.data == nil {
		b.data = make([]byte, 0, blockBytes)
	}
	from := len(b.data)
	b.data = append(b.data, data...)
	b.entries = append(b.entries, told{trace, now.UnixNano(), uint32(from), uint32(len(b.data))})
}

// of returns copies of the events of a trace, oldest first.
func (j *buffer) of(tenant, traceID string, now time.Time) [][]byte {
	trace, oldest := j.hash(tenant, traceID), now.Add(-j.keep).UnixNano()
	var events [][]byte
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range bufferBlocks {
		b := &j.blocks[(j.now+1+i)%bufferBlocks]
		for _, e := range b.entries {
			if e.trace == trace && e.at >= oldest {
				events = append(events, bytes.Clone(b.data[e.from:e.to]))
			}
		}
	}
	return events
}
