// Package remote tests tools that run outside Helve, on whole systems.
//
// It promises that tools of remote processes and of MCP servers are judged, fenced and recorded like others,
// and that a process that is lost, changed or hostile ends its own calls only.
package remote
