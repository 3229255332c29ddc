// Package natsauth says what each role may do on NATS, and writes a server
// configuration that lets it do that and nothing else.
//
// Dispatchers and workers share the account HELVE, which holds JetStream. Each
// tenant has an account of its own, into which HELVE lends the tenant's
// operations, events, requests for consent and audit records, and nothing of
// another tenant. A front end in it has no JetStream and hears only its own
// replies.
//
// It promises that a front end's credential reaches no operation that the role
// is not in the table of package api for, no other tenant, and no stream: it can
// queue no call, publish no result, verdict or record, and have the server
// publish none for it, because what is said in reply comes back into its own
// account. A worker's credential cannot publish what is for dispatchers alone.
//
// It does not promise that a worker's credential is harmless in wrong hands.
// JetStream answers on whatever subject the request names, so whoever may read
// one stream of an account can have the server publish what is in it to any
// subject of that account; docs/nats-auth.md says what follows. Nor does a
// credential of a tenant say which person of the tenant asks: that stands in the
// request.
package natsauth
