// Package httpapi implements the operations over HTTP: the routes of [api.Operations],
// event streams, and the bytes of large results.
//
// Answers are JSON with a final line break; failures are RFC 9457 problems with an
// error_type. No panic and no text of an unexpected error reaches a client. A client
// that disconnects loses its answer, never the requested change: accepted calls
// continue.
//
// Requests that change something must use a host name of the server and, if a browser
// sent them, come from a page of that same host. That keeps foreign web pages out, even
// those that point their own name at this server.
//
// With authentication on, every operation needs a credential in the Authorization
// header, and nothing in a request extends its rights. A stream ends soon after its
// credential does. Without authentication, every caller may do everything, so only this
// machine may be able to reach the server; [identity.Guard] ensures that.
//
// Pages of other origins are refused unless the operator lists their exact origin: CORS
// and the check of requests with side effects use the same list.
//
// Larger answers are compressed for clients that accept it, event streams never. The
// limit of a compressed body applies to its decompressed size.
//
// TLS and the limits on connections and headers are up to the enclosing server.
package httpapi
