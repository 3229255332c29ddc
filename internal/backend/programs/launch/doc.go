// Package launch is the process between a worker and a program that it runs: the
// worker's own binary, started anew, which takes from itself what the program must
// not have, starts the program, and stays until the program and all that it started
// are gone.
//
// It promises that the program runs with everything its [Job] says, or not at all.
// Landlock, seccomp, no_new_privs, the limits and the end of all processes are
// mandatory; namespaces are asked for by who starts the launcher, and what they add
// is in the Job. The restrictions lie on one thread of the launcher, and the program
// is a child of that thread; the others can still end what it leaves behind.
//
// The launcher ends, and everything with it, when the other end of its socket is
// closed: a worker that dies takes its programs along.
package launch
