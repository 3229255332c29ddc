// Package tool is the contract between Helve and the tools it runs.
//
// A tool is a value: a [Spec] that names its typed arguments, its typed
// result, how risky it is, what it needs and the function that runs it. The
// argument type is the schema; validation, provider formats, documentation and
// tests are all derived from the [Definition] that [Add] makes of the Spec.
//
// A tool touches the world only through the ports of its [Call] ([Files],
// [HTTP], [Clock]), and only those its Spec asks for with Needs are filled in.
// Package tool knows nothing of NATS, of policy or of where files lie.
//
// # Failure
//
// A tool reports failure by returning an error. [AsError] decides which of the
// closed set of kinds the caller sees; the message of an [*Error] is for the
// model, its cause stays in the operator's log.
//
// # What it does not promise
//
// A tool may run more than once for one call if its definition says it is
// idempotent or that it changes nothing. A tool that mutates and is not
// idempotent is started at most once; see internal/bus for how.
package tool
