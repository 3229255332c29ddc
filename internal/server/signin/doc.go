// Package signin signs people in with a browser: with an API key, or at an OpenID Connect
// issuer by the code flow with PKCE. It keeps their sessions.
//
// # Sessions
//
// A session is an entry of the bucket helve_sessions, which only dispatchers may read and
// write. The browser has a random cookie and its pages a random secret, and the bucket the
// hash of both: a reader of the bucket cannot sign in, and neither can a program that has one
// of the two. Each request reads the entry, so every dispatcher knows each session, and
// a session that ended is over for all of them with the next request. A signed cookie would need
// a list of ended sessions in the same bucket, and a key that all dispatchers share.
//
// # What it promises
//
// A session has the rights that its credential has now. A session that began with an API
// key refers to the key: it ends when the key is removed, replaced, disabled or expired,
// and changes when the roles of the key do. A session that began at an issuer has the
// tenant, user and roles of the ID token until it ends. Sessions end when they were not
// used for a while, and when they are old. A credential has a bounded number of them; one
// more ends the oldest. No key, token or code is in a log, an error or the bucket.
//
// # What it does not promise
//
// It does not decide which requests a cookie counts for; the HTTP transport does. What an
// issuer changes about a person takes effect when they sign in again.
package signin
