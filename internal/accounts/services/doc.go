// Package services is the config center: it stores the accounts of outside services,
// encrypted, for each tenant and person, and serves them to tools.
//
// Entries are in the key-value bucket helve_services, so that every worker follows their
// changes and a backup of NATS has them. The key of an entry is
// <tenant>.tenant.<service>.<label>, or <tenant>.user.<user>.<service>.<label>.
//
// # What it promises
//
// [Reader] gives a person the entries of that person, then those of the tenant, never
// those of another person; within both, stored entries hide those of the operator's file
// with the same label. An entry that cannot be decrypted is an error, so that no tool uses
// the account of somebody else in its place. A change takes effect on every worker as soon
// as it receives it from NATS. Decrypted entries are kept in memory, so reading one takes
// about a microsecond. Two concurrent changes of an entry happen one after the other.
//
// # What it does not promise
//
// A worker with the master key can read the entries of every tenant: give the key only to
// pools that need it. A call that has read an entry keeps it when the entry is removed.
package services
