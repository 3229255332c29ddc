// Package lockdown takes from a process what a script in it must not have:
// files, network, other processes, and memory and CPU beyond a bound.
//
// It promises that [Apply] either did all of it, irrevocably and for every
// thread, or failed and said which part the host lacks. Resource limits,
// Landlock, seccomp and no_new_privs are mandatory; namespaces are tried by
// whoever starts the process, and reported.
//
// After Apply a process can compute, use the memory it may have, start threads,
// look at the clock, and read and write the pipes or sockets it kept and standard
// error. Most other system calls fail with EPERM. Those that only an attacker
// makes (to run a program, open a socket, trace or signal another process, …)
// end the process with SIGSYS; the kernel's log names the number of the call.
//
// What the limits mean for whoever started it: beyond its address space the Go
// runtime ends with exit status 2 and "out of memory" on standard error; at the
// end of its CPU time it gets SIGKILL. Standard error should be a pipe, because
// no byte can be written to a file any more. The process dies with the thread
// that started it, dumps no core, and cannot be traced by its own kind.
//
// It does not promise anything on other systems than Linux on amd64 and arm64, or
// for programs with cgo: Apply fails there. It does not count threads: RLIMIT_NPROC
// counts those of all processes of a user, so that one child would starve
// another. It does not hide how long things take, nor what the kernel and the
// processor leak by themselves.
package lockdown
