package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// stream is a Source in memory, with what can befall a real one.
type stream struct {
	mu      sync.Mutex
	kept    []audit.Message // in order
	first   uint64
	last    uint64
	changed chan struct{}
	// refuse, when set, fails the follower before it is given that place.
	refuse uint64
	// shown are the records of the first of kept, for tests that forget none.
	shown [][]protocol.AuditRecord
}

func newStream() *stream { return &stream{first: 1, changed: make(chan struct{})} }

// store appends records and returns the place of the last.
func (s *stream) store(tenant string, all ...[]byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, data := range all {
		s.last++
		s.kept = append(s.kept, audit.Message{Seq: s.last, Tenant: tenant, Data: data})
	}
	s.wake()
	return s.last
}

func (s *stream) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// skip leaves places out: the next record is stored at place.
func (s *stream) skip(place uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = place - 1
}

// forget drops the records before a place, as retention does.
func (s *stream) forget(before uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.kept) > 0 && s.kept[0].Seq < before {
		s.kept = s.kept[1:]
	}
	s.first = before
}

// replace replaces the stream by one with other records.
func (s *stream) replace(tenant string, all ...[]byte) uint64 {
	s.mu.Lock()
	s.kept, s.first, s.last = nil, 1, 0
	s.mu.Unlock()
	return s.store(tenant, all...)
}

// Read implements [Source].
func (s *stream) Read(_ context.Context, from, to uint64, tenant string, each func(audit.Message) error) error {
	s.mu.Lock()
	kept := slices.Clone(s.kept)
	s.mu.Unlock()
	for _, m := range kept {
		if m.Tenant == tenant && m.Seq >= from && m.Seq <= to {
			if err := each(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeBlock appends one message that holds records.
func (s *stream) storeBlock(tenant string, all ...[]byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.kept = append(s.kept, audit.Message{Seq: s.last, Tenant: tenant, About: audit.BlockAbout, Data: bytes.Join(all, []byte{'\n'})})
	s.wake()
	return s.last
}

func (s *stream) Range(context.Context) (first, last uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first, s.last, nil
}

func (s *stream) Follow(ctx context.Context, from uint64, each func(audit.Message) error) error {
	for {
		s.mu.Lock()
		changed, refuse := s.changed, s.refuse
		var next []audit.Message
		for i, m := range s.kept {
			if m.Seq >= from {
				next = s.kept[i:]
				break
			}
		}
		s.mu.Unlock()
		for _, m := range next {
			if refuse != 0 && m.Seq >= refuse {
				return errors.New("the broker is away")
			}
			if err := each(m); err != nil {
				return err
			}
			from = m.Seq + 1
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// began is the time of the first record of a test; each next is a second later.
var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// recordOf is a record like those the gate writes, one of many by i.
func recordOf(i int) protocol.AuditRecord {
	r := protocol.AuditRecord{
		ID: fmt.Sprintf("0195-%012d", i), Time: began.Add(time.Duration(i) * time.Second), Phase: protocol.AuditFinished,
		TraceID: id("trace", i/4), CallID: id("call", i/2), Tenant: "acme",
		User: fmt.Sprintf("user-%d", i%7), Agent: fmt.Sprintf("agent-%d", i%3), Conversation: fmt.Sprintf("talk-%d", i%5),
		Tool: fmt.Sprintf("tool_%d", i%11), ToolVersion: "1", Worker: "w-1", Attempt: 1, DurationMS: 1.5,
		ArgsHash: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Rule: "default", Reason: "low risk"},
		Result:   &protocol.AuditResult{Status: "success", Summary: "object with 3 members"},
	}
	if i%3 != 0 {
		accepted := r.Time.Add(-[...]time.Duration{time.Second, 5 * time.Minute, time.Minute, 3 * time.Hour, 100 * time.Hour}[i/2%5])
		r.AcceptedAt = &accepted
	}
	switch i % 10 {
	case 3:
		r.Result = &protocol.AuditResult{Status: "error", ErrorType: "timeout"}
	case 6:
		r.Phase, r.Result = protocol.AuditRefused, nil
		r.Decision = &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked, Rule: "night"}
	case 8:
		r.Phase, r.Result, r.Decision = protocol.AuditTokenMinted, nil, nil
	}
	return r
}

// id is the nth of its kind. As with real ones the calls' begin with the time,
// and the traces' are in no order.
func id(kind string, n int) string {
	sum := sha256.Sum256(fmt.Append(nil, kind, n))
	if kind == "call" {
		binary.BigEndian.PutUint64(sum[:], uint64(n)<<24)
	}
	return hex.EncodeToString(sum[:16])
}

func encode(t testing.TB, r protocol.AuditRecord) []byte {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// records returns n records in their stored form.
func records(t testing.TB, n int) [][]byte {
	t.Helper()
	all := make([][]byte, n)
	for i := range all {
		all[i] = encode(t, recordOf(i))
	}
	return all
}
