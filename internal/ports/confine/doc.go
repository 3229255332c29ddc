// Package confine restricts a process: its files, network, access to other processes,
// privileges, memory and CPU. It is the only place that does so, with two profiles.
//
// The profile of scripts ([Script], [Apply]) is for a process of this same program that
// only computes. Apply either succeeds completely, irrevocably and for every thread, or
// fails with the part that the host lacks. Afterwards the process can compute, use its
// allowed memory, start threads, read the clock, and read and write standard error and
// the pipes or sockets it kept. Most other system calls fail with EPERM. System calls
// that only an attacker would make (to run a program, open a socket, trace or signal
// another process, …) end the process with SIGSYS; the kernel's log has the number of
// the call.
//
// The profile of programs ([Program], [Program.Restrict], [Program.Limit]) is for a
// program of any kind, which a launcher starts from a restricted thread. It can use the
// files that it is given, and all system calls except those known to lead outside,
// which fail with EPERM.
//
// Both apply Landlock with every right that the kernel can restrict, seccomp,
// no_new_privs and limits, and drop all capabilities. They differ in these points:
//
//   - Scripts run as the user nobody and die with the thread that started them. Programs own
//     the files of their workspace; their launcher ends them.
//   - Scripts have limited CPU time. A program of many threads would reach
//     such a limit early; the launcher ends it by the clock.
//   - Scripts lock no memory and cannot map executable memory. Programs lock 64 KiB, for keys, and
//     may contain compilers.
//   - Programs lose the bounding set and the ambient set, and may not set the bits by
//     which a file runs as its owner. Scripts cannot run programs or create files.
//   - Programs may use splice, memory files, memory protection keys and filters of
//     their own. None of these leads outside.
//
// The process that starts a script sees its limits as follows: beyond its address space
// the Go runtime ends with exit status 2 and "out of memory" on standard error; at the
// end of its CPU time it gets SIGKILL. Standard error should be a pipe, because no byte
// can be written to a file any more. The process dumps no core, and other processes of
// its user cannot trace it.
//
// Namespaces are optional for both: the process that starts another one requests them,
// and [Probe] and [BestEffort] report which of them this host supports.
//
// On systems other than Linux on amd64 and arm64 both profiles fail. In a program with
// cgo, Landlock leaves a script the right to read its own file, its libraries and its
// /proc entries, which [Reexec] needs to run it again; seccomp then removes this
// access, like every other access to files. The package does not count the threads of a
// script: RLIMIT_NPROC counts those of all processes of a user, so that one child would
// starve another. Landlock does not hide the existence, size and times of a file from a
// program that knows its name. The package does not hide timing, nor leaks of the
// kernel and the processor.
package confine
