// Package oauthtest plays a provider of accounts over HTTP: the endpoints of RFC 6749, 7009,
// 7636, 8414, 8628 and 9207, and on demand the misbehaviour of a broken or hostile one.
//
// It promises to refuse what a strict provider refuses: an unknown client, another redirect
// address, a verifier that does not fit, a code or a refresh token that was used. On demand it
// is an OpenID Connect issuer, with ID tokens and their key. It knows no persons: every
// visitor of its page agrees, unless told otherwise.
package oauthtest
