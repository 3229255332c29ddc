// Package natsauth defines the NATS permissions of each role, and writes a server
// configuration that grants exactly these.
//
// Dispatchers and workers share the account HELVE, which holds JetStream. Each tenant
// has an account of its own, to which HELVE exports the tenant's operations, events,
// requests for consent and audit records, and nothing of another tenant. A front end in
// it has no JetStream and receives only its own replies.
//
// It promises that a front end's credential reaches only the operations of its role in
// the table of package api, no other tenant, and no stream: it cannot queue a call, or
// publish a result, verdict or record, nor make the server publish one, because replies
// return to its own account. A worker's credential cannot publish what is reserved for
// dispatchers.
//
// A worker's credential reaches the calls and results of its pools. What it makes the
// server publish is neither a person's decision nor a trusted key nor a caller's
// request.
//
// It does not promise that a stolen worker credential is harmless. JetStream replies on
// any subject that the request names, so a client that may read one stream of an
// account can make the server publish its contents to any subject of that account;
// docs/nats-auth.md describes the consequences. Workers also read the scheduled tasks of
// persons, and a dispatcher makes the runs that a worker names as calls of the person: with
// a stolen credential of a worker calls can be made in the name of anybody. They pass the
// gate like others, so what needs a person still does.
//
// A credential of one person is in an account of its own, which maps the tenant's
// operations to subjects that name the person: it can act only as this person. Any
// other credential of a tenant names the person in the request.
package natsauth
