// Package affinity binds persons to workers, for pools whose workers keep workspaces of
// their own: all calls of one person for a pool go to one live worker of it.
//
// A binding is an entry of a key-value bucket. The first process that needs it creates it,
// and any process revises it when the worker is no longer announced; both writes name the
// revision that they replace, so that processes which do it at the same time agree. A
// binding that nobody uses expires after [Life]. A call without a user is bound as the
// person "_" of its tenant.
//
// Each worker has a number in the pool, which it claims in the same bucket, and takes the
// calls of the lanes with that number (package queue, home lanes). A call names the worker
// that it is for: a worker that took over the number of another one passes its calls on.
//
// It does not copy files. A person who is moved finds the files of before only where the
// new worker has the same workspaces directory; results say so for [Told].
package affinity
