// Package ports has what a tool reaches the world through: stores, files, hosts, programs,
// containers, the desktop, and the confinement of processes.
//
// It promises that a call reaches no more than its scope names, whatever its arguments say. It
// does not decide about a call, and does not know which tool uses a port.
package ports
