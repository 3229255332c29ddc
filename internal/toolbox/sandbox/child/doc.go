// Package child implements the process in which scripts run: main.go locks the process
// down, runner.go runs the jobs it receives, host.go sends the requests of scripts to the
// pool, inbox.go receives the answers, and watchdog.go ends the process when a run uses too
// much memory. Package sandbox is the other side.
//
// It promises that no source is read before the lockdown is in place, and that each run has
// a runtime of its own. It does not promise to be correct: the pool trusts nothing that a
// child sends.
//
// A child is the same binary as its worker, and package autoexec runs it before most of a
// worker's packages are initialized. So this package must import little, above all nothing
// whose import path comes late in the order of initialization, such as a logger.
package child
