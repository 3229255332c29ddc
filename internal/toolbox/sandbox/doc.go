// Package sandbox runs scripts that a model wrote in child processes of the same
// program, which are locked down before they receive any source. Each call gets a new
// runtime.
//
// # What it promises
//
// A script that hangs, leaks, floods or attacks its process costs its own call and
// nothing else. A call's answer comes within its wall limit. A child never serves two
// tenants, has none of the parent's environment, files or network, and does not outlive
// its parent. On a host that cannot lock a child down none is run, and [New] returns
// the reason. No message of a child is trusted: the pool measures time and CPU itself,
// checks each permission again, and accepts only the kinds of error that a script can
// end with.
//
// # What it does not promise
//
// It does not hide how long things take, nor withstand a hole in the kernel. It uses
// the namespaces that the host permits. Requests of a script that the host still works
// on at the end of its run are cancelled, and not awaited.
//
// # How it works
//
// [Pool.Run] waits for a slot (slots.go: shared between tenants, and between the users
// of each) unless [Pool.Reserve] took one, takes a child that served the tenant
// before (idle.go) or a new one (spawner.go), and serves the run with
// it (serve.go): the calling goroutine writes to the child's pipe and reads from it, and
// the host answers the child's requests (asks.go). A timer watches the limits (watch.go)
// and lowers the priority of long runs (yields.go), and a goroutine waits for the
// process's end (child_process.go). classify.go determines the outcome of a run. The
// inside of the child is package child.
//
// # Programs
//
// A run of a program (Job.Durable, next.go) sends its host one request after another, and may
// wait for each answer for as long as the host likes: its limits of time apply to the parts of
// the code between two answers. The host ends such a run with an error in place of an answer;
// the child is not ended by that and serves the next run.
package sandbox
