// Package launch is the process between a worker and a program that it runs. It is a
// second process of the worker's own binary, which confines itself, starts the program,
// and stays until the program and all processes that it started are gone.
//
// It promises that the program runs with everything in its [Job], or not at all.
// Landlock, seccomp, no_new_privs, the limits and the end of all processes are
// mandatory. The process that starts the launcher requests the namespaces, and the Job
// describes them. The restrictions apply to one thread of the launcher, and the program
// is a child of that thread; the other threads can still end the processes that it
// leaves behind.
//
// When the other end of its socket is closed, the launcher ends with everything it
// started: a worker that dies takes its programs along.
package launch
