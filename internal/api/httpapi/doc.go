// Package httpapi is the form the operations take over HTTP: the routes of
// [api.Operations], event streams, and the bytes of large results.
//
// Answers are JSON that ends with a line break; failures are RFC 9457 problems
// with an error_type. No panic and no text of an unexpected error reaches a
// client. A client that hangs up gives up its answer, never the change it asked
// for: calls that were accepted go on.
//
// Requests that change something must come to a host name that is the server's
// own and, if a browser sent them, from a page of that same host. That keeps
// foreign web pages out, also those that point their own name at this server.
//
// With authentication on, every operation needs a credential in the
// Authorization header, and nothing of a request widens what it holds. A stream
// ends soon after its credential does. Without, every caller may do everything,
// so that whoever opens the server has to make sure that only this machine can
// reach it; [identity.Guard] does.
//
// Pages of other origins are kept out unless the operator names their origin, and
// then exactly that one: CORS and the check of what changes something go by the
// same list.
//
// Larger answers are compressed for clients that ask for it, event streams never.
// A compressed body is bounded by what it expands to.
//
// The package leaves TLS and the limits on connections and headers to the server it
// is put into.
package httpapi
