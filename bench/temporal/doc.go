// Command temporal compares programs of Helve with workflows of Temporal: the same job of a number of
// steps, one after the other, on both in one run, on one machine.
//
//	go build -o /tmp/helve ./cmd/helve && go build -o /tmp/worker ./cmd/worker
//	go -C bench/temporal run . --helve /tmp/helve --worker /tmp/worker
//
// Each system is one process with its server and its storage on disk, as its developers ship it for one
// machine: `helve up` with its embedded NATS, and the server of `temporal server start-dev
// --db-filename` with SQLite. By default SQLite syncs each write to the disk and NATS does not; --wal has
// SQLite write as NATS does (--sqlite-pragma of that command). The steps run in a worker, a process of its own. A step is a small
// activity of a workflow there, and a call of debug.echo here. Rounds alternate.
//
// It is a module of its own, because Temporal's server has several hundred dependencies, which take ten
// minutes to compile on two cores. Nothing in .ci/run builds it.
package main
