// Package vault encrypts the secrets of entries of services with envelope encryption.
//
// Each entry has a random data key, which encrypts its values with AES-256-GCM; a master
// key wraps the data key. The associated data of a value is its [Place], its field and
// what the entry holds in the clear. So a ciphertext cannot be moved to another person,
// entry or field, and the values in the clear, such as the address a key is sent to,
// cannot be changed without the master key. Tink does the cryptography.
//
// A [Wrapper] holds the master key. [Keys] reads it from a file or the environment; a
// client of a key management service is another implementation.
//
// # What it promises
//
// Several master keys can be listed: the first one wraps, each of them unwraps. A changed
// file takes effect within two seconds of use. No error contains a key or a value.
//
// # What it does not promise
//
// Decrypted values and keys are ordinary memory of the process. Entries whose master key
// is lost are lost.
package vault
