package adapters

import (
	"errors"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/protocol"
)

// Served answers the questions of other processes about the calls that a worker owns.
type Served struct {
	Worker string // its id
	Calls  *execution.Executor
}

// Serve answers the questions that other processes ask over NATS.
func (s Served) Serve(owners *peer.Owners) error {
	return errors.Join(owners.ServeProbe(s.Find), owners.ServeCancel(s.Cancel), owners.ServeRunning(s.Running))
}

// Find returns the call as an answer to probes, nil if this worker does not own it.
func (s Served) Find(tenant, callID string) *call.Owner {
	return s.held(s.Calls.Find(tenant, callID))
}

// Cancel stops a call and returns it as an answer, nil if this worker does not own it.
func (s Served) Cancel(tenant, callID string) *call.Owner {
	return s.held(s.Calls.Cancel(tenant, callID))
}

// runningMost bounds the calls in one answer, which is one message.
const runningMost = 1500

// Running returns the calls of a tenant that this worker owns, as an answer.
func (s Served) Running(tenant string) []peer.Running {
	list := []peer.Running{}
	for _, c := range s.Calls.Running(tenant, runningMost) {
		list = append(list, peer.Running{
			CallID: c.ID, TraceID: c.TraceID, Tool: c.Tool, Pool: c.Pool, User: c.User, Agent: c.Agent, Conversation: c.Conversation,
			Attempt: c.Attempt, AcceptedMS: c.AcceptedMS, Since: c.Received,
		})
	}
	return list
}

func (s Served) held(o *execution.Owned) *call.Owner {
	if o == nil {
		return nil
	}
	return &call.Owner{
		State:  protocol.StateRunning,
		Origin: o.Origin,
		Tool:   o.Tool,
		Pool:   o.Pool,
		By:     s.Worker,
		Owner:  o.Owner,
		Direct: o.Direct,
		Inner:  o.Nested,
	}
}
