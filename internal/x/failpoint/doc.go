// Package failpoint names the places at which a fault test kills, stops or fails a
// process, and nothing else.
//
// In a program built without the tag "failpoint", [Hit] is an empty function that the
// compiler removes, and the environment is not read. Built with the tag, a process
// obeys the variable FAILPOINTS:
//
//	FAILPOINTS=worker.before_fence=kill@2,dispatcher.after_accept=error
//
// An action is kill (SIGKILL to itself), stop (SIGSTOP to itself), error (Hit returns
// an error) or pause:DURATION. It happens at the first hit of its point, with @N at the
// N-th, with @* at every hit; each time the process first writes a line "failpoint NAME
// ACTION" to standard error. An invalid variable ends the process, because a test that
// injects nothing would pass.
//
// The package promises that an error is handled like a NATS operation that failed at
// that place. It does not promise that a point is hit by every call.
package failpoint
