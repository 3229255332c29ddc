// Package api is what Helve can be asked to do, without the way the question
// travels: the typed operations of the protocol, the shape of their bodies and
// the errors of whole requests.
//
// [Operations] is the one table that every transport walks, so an operation has
// the same name, parameters, answers and errors everywhere. A transport turns
// its own form of a request into an [Input], calls [Service.Do] and sends the
// [Reply].
//
// [ParseExecute] is the hot path and the boundary to the outside. Its work is
// linear in the size of the body and it never recurses into a value, however
// deep. It holds the line between what fails the request and what fails one
// call: a body that is not JSON, not UTF-8 or of another shape is refused as a
// whole, while whatever is wrong with a call ends in that call's Problem and
// leaves its neighbours alone.
//
// Every operation names the roles that may ask for it, and what a request says
// of its sender may only narrow what the sender's credential says. A person
// decides about their own consents and grants, an approver about anybody's, and
// the agent that asked about none.
//
// The package neither runs calls nor stores anything; whoever does is reached
// through [Calls], [Catalog], [AgentStore] and the parts of a [Gate]. It does not
// find out who the caller is: the transport does, and says it in [Input.By].
package api
