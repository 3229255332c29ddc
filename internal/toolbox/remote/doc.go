// Package remote runs tools in remote processes, written in any language: it stores
// which process runs which tool, tracks which are alive, and sends them calls.
//
// # The way of a tool, and of a call
//
//	process     api.remote.register, again and again: an instance, its definitions
//	dispatcher  Registrar: definitions checked and stored when they changed, then a small key with a time to live
//	all         Registry: every dispatcher and worker follows both; a tool without heartbeats is not available
//	worker      Runner: through the whole pipeline, and only then a request on remote.<tool>
//	process     one answer, which is read as if an enemy had written it: it is the result
//
// # What it promises
//
// A registration is in force on this dispatcher when it is acknowledged, on others as
// soon as they read it from the store, and it survives restarts of all of them. Two
// instances share a tool only if their definitions are equal; a name that belongs to
// another tool is refused, however two dispatchers race for it. A tool is unavailable
// if none of its instances sent a heartbeat within its ttl, and available again with
// the next heartbeat. A process receives no token and no secret, and can report
// progress of its own calls only.
//
// # What it does not promise
//
// That a process which subscribes is registered: NATS permissions decide who may
// subscribe to remote.<tool>. That a process does what its definition says. That the
// death of a process is noticed during a call: the call then ends at its deadline.
package remote
