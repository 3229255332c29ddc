// Package tracedport puts spans around the ports of tools: requests to external hosts
// ([HTTP]), reads and commits of personal data ([Store]), and calls of MCP servers ([MCP]).
//
// It promises that no span has an argument or a result: of a request it has the method and
// the status, and the host only if the operator has listed it. Only such hosts receive trace
// context. A port works as without it, also while a trace is not recorded.
//
// It does not decide what is recorded; the span in the context of a call does.
package tracedport
