package adapters

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/protocol"
)

// AuditWriter implements [execution.Records].
type AuditWriter struct{ Trail trail.Writer }

// Encode implements [execution.Records].
func (s AuditWriter) Encode(r *protocol.AuditRecord) ([]byte, error) { return s.Trail.Encode(r) }

// Send implements [execution.Records].
func (s AuditWriter) Send(r *protocol.AuditRecord, done func(error)) {
	s.Trail.Send(r, func(err error) {
		if errors.Is(err, natsio.ErrFull) {
			err = fmt.Errorf("%w: %w", execution.ErrFull, trail.Refusal(err))
		}
		done(err)
	})
}

// Summary implements [execution.Records].
func (s AuditWriter) Summary(result []byte) string { return audit.Summarize(result) }

// Fences implements [execution.Fences].
type Fences struct{ Queue *queue.Queue }

// Read implements [execution.Fences].
func (s Fences) Read(ctx context.Context, tenant, callID string) (*call.Fence, error) {
	return s.Queue.Calls.Fenced(ctx, tenant, callID)
}

// Write implements [execution.Fences].
func (s Fences) Write(ctx context.Context, tenant, callID string, f call.Fence) (*call.Fence, error) {
	f.AtMS = time.Now().UnixMilli()
	first, err := s.Queue.Calls.Fence(ctx, tenant, callID, f)
	return first, storeError(err)
}

// Events implements [execution.Events].
type Events struct{ Queue *queue.Queue }

// Publish implements [execution.Events].
func (s Events) Publish(at time.Time, c *execution.Call, kind string, data []byte) {
	s.Queue.Events.TellAt(at, events.AboutCall(c.Call), kind, data)
}

// Storage implements [execution.Storage].
type Storage struct{ Queue *queue.Queue }

// Shortage implements [execution.Storage].
func (s Storage) Shortage() execution.Shortage {
	switch short := s.Queue.Held(); {
	case short == nil:
		return execution.NoShortage
	case short.Silent():
		return execution.Silent
	}
	return execution.Full
}
