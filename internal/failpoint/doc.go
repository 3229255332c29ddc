// Package failpoint names the places at which a fault test kills, stops or
// fails a process, and nothing else.
//
// A program built without the tag "failpoint" holds none of it: [Hit] is an
// empty function that the compiler removes, and the environment is not read.
// Built with the tag, a process obeys the variable FAILPOINTS:
//
//	FAILPOINTS=worker.before_fence=kill@2,dispatcher.after_accept=error
//
// An action is kill (SIGKILL to itself), stop (SIGSTOP to itself), error (Hit
// returns an error) or pause:DURATION. It happens at the first hit of its
// point, with @N at the N-th, with @* at every one; each time a line
// "failpoint NAME ACTION" goes to standard error first. A variable that cannot
// be understood ends the process: a test that injects nothing would pass.
//
// The package promises that an error takes the way of a NATS operation that
// failed at that place. It does not promise that a point is hit by every call.
package failpoint
