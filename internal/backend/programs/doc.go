// Package programs runs programs of the machine in the workspace of a call: it is
// [tool.Programs] on this host.
//
// # What it promises
//
// A program is confined before its first instruction, or it does not run. It reads
// and runs what the machine's programs and libraries need ([System], and what the
// operator adds), reads and writes the workspace, or of it what the scopes of its
// call allow, and has a home and a directory for temporary files that are removed
// when it ends. It opens no other file, that of other users, of the worker or of
// /proc among them. It has no network unless it is asked for, reaches no socket of
// another program, signals and traces no process but those it started, gains no
// privileges, and inherits nothing from the worker: no descriptor, no environment.
// Sizes of data, files, and (for a worker that is not root, with namespaces) the
// number of its processes are bounded.
//
// When the call ends, its output floods or the worker dies, all that the program
// started dies: also what left its group, its session or its parent. The end of the
// program itself is the end of what it left behind.
//
// Where the kernel cannot do that, runs fail with not_configured; [Programs.Probe]
// says what is missing. Options.Unconfined runs programs without any of it.
//
// # What it does not promise
//
// There is no bound on the memory and the processor time of all processes of a run
// together, on shared memory, on disk space, nor, for a worker that is root, on the
// number of processes: put the worker into a cgroup. Names and sizes of files outside
// can be told where the host gives no mount namespace. With the network on, a program
// reaches every address that the worker does: the guard of HTTP tools is not in the
// way, and a call whose scopes restrict hosts is refused. A part of the workspace that
// scopes name and that is not there when the program starts stays out of its reach.
// Chromium, and other programs that make sockets among their own processes, need a
// host that gives a mount namespace, or Linux with version 9 of Landlock. A worker that
// is killed leaves directories helve-run-* in Options.Scratch.
// Without a namespace of processes, a program that forks without end may keep the
// launcher busy for a while before it is gone.
//
// # How it works
//
// [New] takes the options; run.go is one run, pipes.go and terminal.go carry what the
// program reads and writes, confined_linux.go starts the launcher (package launch)
// in the namespaces that spaces_linux.go has found to work on this host. Commands call
// [Child] first in main, and import launch/early to make launchers start faster.
package programs
