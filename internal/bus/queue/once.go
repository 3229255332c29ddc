package queue

import (
	"context"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// Acceptance is the once-only record of a call_id: the process that stores it first has
// accepted the call, all others join.
type Acceptance struct {
	Tool         string `json:"tool"`
	ArgsHash     string `json:"args_hash"`
	Origin       string `json:"origin"`
	TraceID      string `json:"trace_id"`
	ToolCallID   string `json:"tool_call_id,omitempty"`
	Pool         string `json:"pool"`
	User         string `json:"user,omitempty"`
	Agent        string `json:"agent,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	// Via is [call.Call].Via.
	Via        string `json:"via,omitempty"`
	AcceptedMS int64  `json:"accepted_ms"`
	DeadlineMS int64  `json:"deadline_ms,omitzero"`
	StartByMS  int64  `json:"start_by_ms"`
	TimeoutMS  int64  `json:"timeout_ms,omitzero"`
	// Lone means that no result of the call is stored in a group.
	Lone bool `json:"lone,omitzero"`
	// Generation is the number of acceptances of the call_id with a lower
	// generation, which were taken back.
	Generation int `json:"generation,omitzero"`
}

// Owner returns the person for whom the accepted call was made.
func (a *Acceptance) Owner() *protocol.Owner { return &protocol.Owner{User: a.User, Agent: a.Agent} }

// Fence is the once-only record that a call with side effects starts, or that it never
// will.
type Fence struct {
	// By is the worker or dispatcher that wrote it, Attempt the delivery.
	By      string `json:"by"`
	Attempt int    `json:"attempt"`
	AtMS    int64  `json:"at_ms"`
	// Ended is the error type of a call that was ended before it started, "cancelled" or
	// "timeout" if a dispatcher ended it; empty for a call that starts.
	Ended string `json:"ended,omitempty"`
}

// The once-only records of a call.
const (
	onceAccepted = "accepted"
	onceReleased = "released"
	onceFence    = "fence"
)

// Fence stores the start fence of a call. natsio.ErrExists means that another process
// stored it before; its record is returned.
func (b *Calls) Fence(ctx context.Context, tenant, callID string, rec call.Fence) (*call.Fence, error) {
	return natsio.WriteOnce(ctx, b.conn, streams.Once, b.subj.Once(tenant, callID, onceFence), rec)
}

// Fenced returns the start fence of a call, or nil if there is none.
func (b *Calls) Fenced(ctx context.Context, tenant, callID string) (*call.Fence, error) {
	return natsio.ReadOnce[call.Fence](ctx, b.conn, streams.Once, b.subj.Once(tenant, callID, onceFence))
}
