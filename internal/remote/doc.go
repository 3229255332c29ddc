// Package remote is tools that run in processes outside, in any language: who runs
// which, who of them is there, and the calls of them.
//
// # The way of a tool, and of a call
//
//	process     api.remote.register, again and again: an instance, its definitions
//	dispatcher  Desk: definitions checked and stored when they changed, then a small key with a time to live
//	all         Book: every dispatcher and worker follows both; a tool nobody beats for is not available
//	worker      Runner: through the whole pipeline, and only then a request on remote.<tool>
//	process     one answer, which is read as if an enemy had written it: it is the result
//
// # What it promises
//
// A registration holds on this dispatcher when it is acknowledged, on any other as
// soon as the store tells it, and through restarts of all of them. Two instances share
// a tool only where their definitions are the same; a name that belongs to another
// tool is refused, however two dispatchers race for it. A tool none of whose instances
// was heard of for its ttl is not available, and is again with the next heartbeat. A
// process is sent no token and no secret, and tells of no call but its own.
//
// # What it does not promise
//
// That a process which listens is one that registered: who may listen on remote.<tool>
// is a matter of permissions on NATS. That a process does what it says. That it is
// noticed at once when one dies with a call: the call then ends at its deadline.
package remote
