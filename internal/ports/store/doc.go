// Package store implements [tool.Store] over SQLite and PostgreSQL.
//
// # What it promises
//
// The changes of a call, its id and its result are committed in one transaction. A call
// that is delivered again, to any worker, finds the stored result; of two attempts at a
// time one commits, and the other returns that result. A commit whose outcome is not
// known is reported as [ErrUncertain], never as a failure.
//
// Every statement is bound to one tenant and one person. On PostgreSQL row-level security
// enforces this too: statements run under a role that owns no table. The documents and
// bytes of a person are bounded.
//
// Any number of processes may open a database concurrently; the tables are made once, and a
// database of a newer version is refused.
//
// # What it does not promise
//
// Reads of one call are not a snapshot: each returns what is committed at that time.
// A document that a call changes has not changed since the call read it, else Commit
// returns [ErrStale].
// SQLite writes each transaction through to the disk only with Options.Sync; without it a
// power failure can lose the last ones, as it can lose calls and results.
//
// # How changes are committed
//
// Tool code runs without a lock or a transaction, on a [Unit] that buffers the changes.
// On SQLite one goroutine commits the units that wait in one transaction; on PostgreSQL
// each unit is one pipelined transaction, and the server shares its writes.
package store
