// Package api implements the operations of the protocol independent of the transport:
// typed operations, the form of their bodies, and the errors of whole requests.
//
// [Operations] is the single table of operations for all transports, so an operation
// has the same name, parameters, answers and errors everywhere. A transport converts a
// request to an [Input], calls [Service.Do] and sends the [Reply].
//
// [ParseExecute] is on the hot path and is the boundary to untrusted input. Its work is
// linear in the size of the body and it never recurses into a value, however deep. It
// separates errors of the request from errors of one call: a body that is not JSON, not
// UTF-8 or of another shape is refused as a whole, while an error in a call becomes
// that call's Problem and does not affect the other calls.
//
// Every operation names the roles that may use it, and a request can only narrow the
// identity of its sender's credential. A person decides their own consents and grants,
// an approver anybody's, and the agent that made the call none.
//
// The package neither runs calls nor stores anything; it uses [Calls], [Catalog],
// [AgentStore] and the parts of a [Gate]. It does not authenticate the caller: the
// transport does, and sets [Input.By].
package api
