// Package inside is a child of the cage from within: main.go locks the process down,
// cage.go runs what it is sent, host.go asks the pool for what a script may not do
// itself, inbox.go hears the answers, and watchdog.go ends the process when a run takes
// too much memory. Package sandbox is the other side.
//
// It promises that no source is seen before the lockdown holds, and that each run has a
// runtime of its own. It does not promise to be honest: the pool believes nothing that
// a child says.
//
// A child is the same binary as its worker, and is set up by package early before most
// of what a worker links. So this package must import little, above all nothing whose
// import path comes late in the order in which packages are set up, such as a logger.
package inside
