package mcp

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestLongTaskIsPolled: a task that works for days may be polled for as long as a new one: its time
// to live counts from its creation.
func TestLongTaskIsPolled(t *testing.T) {
	t.Parallel()
	s := &Server{Options: Options{TaskTTL: time.Hour}}
	for _, age := range []time.Duration{0, 20 * 24 * time.Hour} {
		id, err := uuid.NewV7()
		if err != nil {
			t.Fatal(err)
		}
		ms := time.Now().Add(-age).UnixMilli()
		for i := range 6 {
			id[5-i] = byte(ms >> (8 * i))
		}
		of := s.taskOf(t.Context(), Caller{}, Outcome{CallID: id.String(), Status: pending})
		if end := of.CreatedAt.Add(time.Duration(of.TTLMs) * time.Millisecond); time.Until(end) < 50*time.Minute || time.Until(end) > 2*time.Hour {
			t.Errorf("a task of an age of %v may be polled until %v", age, end)
		}
	}
}
