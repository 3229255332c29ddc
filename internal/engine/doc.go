// Package engine runs one tool call: from the moment a worker holds it to the
// outcome that the worker publishes.
//
// A call passes a fixed list of stages, see [Engine.Execute]; each has a file
// and a test. The dependencies of the stages (the catalogue, the policy, the ledger
// of started calls, the ports of the tools) are the interfaces of [Deps]; the package does
// not use NATS.
//
// # What it promises
//
//   - Every Execute ends in exactly one [Outcome] and one record, in time: also
//     when the tool panics, ends its goroutine, ignores its context, or returns
//     a value that JSON cannot hold.
//   - A call that is refused at any stage never reaches the start fence or the
//     tool. A call with side effects that cannot be repeated passes the fence,
//     stored by the [Ledger], before its tool is started.
//   - The tool runs with the arguments that the policy has judged: nothing changes them
//     between authorize and the tool.
//   - A call is called cancelled, or said not to have run, only when it
//     certainly changed nothing. Where that cannot be known it ends in
//     outcome_unknown.
//   - Messages are at most 4 KiB and show no path of the host from an error of
//     the standard library; causes, panic values and stacks stay in the
//     error's Cause.
//
// # What it does not promise
//
// A tool that never returns keeps its goroutine and memory; it is answered for
// and counted as stuck, not killed. A panic in a goroutine that a tool started
// by itself ends the process, as do Go's fatal errors (concurrent map writes,
// stack exhaustion). The engine stores nothing and retries nothing.
package engine
