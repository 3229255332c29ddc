// Package tools tests on whole systems which tools a caller has, where they come from and
// what they may reach.
//
// It promises that lists, agents, groups, discovery and the built-in tools agree with what a
// call may use. A tool that an operator or a model writes in JavaScript has the rights of its
// own version and caller only, its nested calls pass the gate, and bad files and schemas
// affect nothing else. Tools of remote processes and of MCP servers are judged, fenced and
// recorded like others, and a process that is lost, changed or hostile ends its own calls
// only. Every supported version of MCP can list, call, ask, cancel and follow a task, on a
// dispatcher and through helve mcp, and malformed requests are answered in its terms.
//
// No tool that takes a URL connects to an address that is forbidden; a server which fails is
// not asked for a while by its tenant, and by that tenant only; the limits of services hold
// over all workers; and callers get the status of a server and the seconds to wait as
// metadata.
//
// TestAfternoon is one afternoon of a person and an assistant: the assistant reads a page,
// translates it, mails it, looks into a calendar and calls an API, and finds each service
// missing first. What `helve config set` stores works on every worker without a restart, and
// no secret is among the texts that were exchanged.
package tools
