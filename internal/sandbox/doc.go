// Package sandbox is the cage in which scripts run that a model wrote: child
// processes of the same program, locked down before they see any source, one
// fresh runtime for each call.
//
// # What it promises
//
// A script which hangs, leaks, lies, floods or attacks its process costs its own
// call and nothing else. A call's answer comes within its wall limit. A child
// never serves two tenants, holds nothing of the parent's environment, files or
// network, and does not outlive its parent. A host which cannot lock a child down
// runs none ([New] then says why). Nothing that a child says is believed: the
// pool measures time and CPU itself, checks each grant again, and takes only such
// kinds of error as a script can end with.
//
// # What it does not promise
//
// It does not hide how long things take, nor withstand a hole in the kernel. Of
// the namespaces it takes what the host gives. What the host of a run still does
// when the run ends is cancelled, and not waited for.
//
// # How it works
//
// [Pool.Run] waits for a slot (slots.go), takes a child that served the tenant
// before (idle.go) or one that served nobody (nursery.go), and serves the run with
// it (serve.go): who called writes to the child's pipe and reads from it, and the
// host does what the child asks for (asks.go). A timer watches the limits (watch.go),
// and a goroutine the process's end (child_process.go). How the run ended is judged in
// classify.go. What goes on within the child is package inside.
package sandbox
