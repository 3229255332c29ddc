package worker

import (
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/protocol"
)

// find returns the call as an answer to probes, nil if this worker does not own it.
func (w *Worker) find(tenant, callID string) *call.Owner {
	return w.held(w.calls.Find(tenant, callID))
}

// cancel stops a call and returns it as an answer, nil if this worker does not own it.
func (w *Worker) cancel(tenant, callID string) *call.Owner {
	return w.held(w.calls.Cancel(tenant, callID))
}

// runningMost bounds the calls in one answer, which is one message.
const runningMost = 500

// running returns the calls of a tenant that this worker owns, as an answer.
func (w *Worker) running(tenant string) []peer.Running {
	list := []peer.Running{}
	for _, c := range w.calls.Running(tenant, runningMost) {
		list = append(list, peer.Running{
			CallID: c.ID, TraceID: c.TraceID, Tool: c.Tool, Pool: c.Pool, User: c.User, Agent: c.Agent, Conversation: c.Conversation,
			Attempt: c.Attempt, Since: c.Received,
		})
	}
	return list
}

// circuitsMost bounds the servers in one answer.
const circuitsMost = 20

// openCircuits returns the servers that keep failing for this worker, as an answer.
func (w *Worker) openCircuits() peer.OpenCircuits {
	failing := w.outward.Failing()
	open := peer.OpenCircuits{More: max(0, len(failing)-circuitsMost)}
	for _, f := range failing[:len(failing)-open.More] {
		open.Named = append(open.Named, peer.OpenCircuit(f))
	}
	return open
}

func (w *Worker) held(o *execution.Owned) *call.Owner {
	if o == nil {
		return nil
	}
	return &call.Owner{
		State:  protocol.StateRunning,
		Origin: o.Origin,
		Tool:   o.Tool,
		Pool:   o.Pool,
		By:     w.ID(),
		Owner:  o.Owner,
		Direct: o.Direct,
		Inner:  o.Nested,
	}
}
