// Package token makes and reads confirm tokens: a person's yes, signed, to be
// shown by the call it is for.
//
// A token is a PASETO v4.public (Ed25519). A dispatcher mints it with a
// [Signer]; workers hold the public keys in a [Keyring], so that no worker can
// make one. The footer names the key, and keys can be replaced while tokens of
// the old one are still about: a worker knows every key that was put and not
// removed.
//
// # What it promises
//
// [Keyring.Verify] accepts what a known key signed as a confirm token and
// nothing else: other versions and purposes of PASETO, other kinds of token and
// other signatures of the same key are refused. [Claims.Covers] compares every
// binding. Clocks may differ by [Skew]. A refusal names the binding that failed
// and shows nothing of the token.
//
// # What it does not promise
//
// That a token is used once: whoever runs the call writes that down, by the
// token's ID. That what the call reaches is within the token's scopes: the
// ports see to it. A token can be read by whoever holds it; it is signed, not
// secret, but whoever holds it can show it, so it belongs in no log.
package token
