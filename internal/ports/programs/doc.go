// Package programs runs programs of the machine in the workspace of a call: it is
// [tool.Programs] on this host.
//
// # What it promises
//
// A program is confined before its first instruction, or it does not run. It can read
// and run what the machine's programs and libraries need ([System], and the operator's
// additions), read and write the parts of the workspace that the scopes of its call
// allow, and use a home and a temporary directory that are removed when it ends. It can
// open no other file, such as those of other users, of the worker or of /proc. It has
// no network unless requested, reaches no socket of another program, can signal and
// trace only processes that it started, gains no privileges, and inherits nothing from
// the worker: no descriptor, no environment. It cannot create setuid or setgid files.
// In a root directory of its own it sees an /etc with one user; it never sees the
// host's users, keys or, without the network, names of other machines. Sizes of data,
// files, and (for a worker that is not root, with namespaces) the number of its
// processes are bounded.
//
// When the call ends, the output exceeds its limit or the worker dies, all processes
// that the program started die, even those that left its group, session or parent. When
// the program itself ends, they die too.
//
// If the kernel does not support this, runs fail with not_configured; [Programs.Probe]
// reports what is missing. Options.Unconfined runs programs without any confinement.
//
// # What it does not promise
//
// There is no limit on the memory and the processor time of all processes of a run
// together, on shared memory, on disk space, nor, for a worker that runs as root, on
// the number of processes: put the worker into a cgroup. Names and sizes of files
// outside are visible if the host allows no mount namespace. With the network, a
// program reaches every address that the worker reaches, without the guard of HTTP
// tools, so a call whose scopes restrict hosts is refused. A part of the workspace that
// scopes name but that does not exist when the program starts stays inaccessible.
// Chromium, and other programs with sockets between their own processes, need a host
// that allows a mount namespace, or Linux with version 9 of Landlock. A worker that is
// killed leaves directories helve-run-* in Options.Scratch. Without a namespace of
// processes, a program that forks without end may keep the launcher busy for a while
// before it ends.
//
// # How it works
//
// [New] takes the options; run.go handles one run, pipes.go and terminal.go its input
// and output, and confined_linux.go starts the launcher (package launch) in the
// namespaces that work on this host, which spaces_linux.go has probed. Commands call
// [Child] first in main, and import launch/early to make launchers start faster.
package programs
