// Package token makes and verifies confirm tokens: signed permissions of a person for
// one call or plan, which the call presents.
//
// A token is a PASETO v4.public (Ed25519). A dispatcher mints it with a [Signer];
// workers hold only the public keys, in a [Keyring], so that no worker can make one.
// The footer names the key, and keys can be replaced while tokens of the old key are
// still valid: a worker accepts every key that was put and not removed.
//
// # What it promises
//
// [Keyring.Verify] accepts only confirm tokens signed by a known key: other versions
// and purposes of PASETO, other kinds of token and other signatures of the same key are
// refused. [Claims.Covers] compares every binding. Clocks may differ by [Skew]. A
// refusal names the binding that failed and contains nothing of the token.
//
// # What it does not promise
//
// That a token is used once: the worker that runs the call records it, by the token's
// ID. That the call reaches only the token's scopes: the ports enforce that. A token is
// signed, not secret, but any holder can present it, so it must not be logged.
package token
