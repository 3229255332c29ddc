// Package outward tests the requests of tools to servers outside, on whole systems.
//
// It promises that no tool that takes a URL connects to an address that is forbidden; that
// a server which fails is not asked for a while by its tenant, and by that tenant only;
// that the limits of services hold over all workers; and that callers get the status of a
// server and the seconds to wait as metadata.
package outward
