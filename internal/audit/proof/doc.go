// Package proof proves to dispatchers which process wrote an audit record.
//
// Every process that writes records has an X25519 pair, and so has every dispatcher that may
// seal them. A record ends with the public half of its writer and, for each of those
// dispatchers, an HMAC that only the two can compute:
//
//	"key"   the role of the writer, w for a worker or d for a dispatcher, and its public half
//	        in 43 letters (base64url)
//	"macs"  for each dispatcher the 6 letters of its key's id and the first 16 bytes of
//	        HMAC-SHA256(k, the record up to its member "key") in 22 letters, where
//	        k = HKDF-SHA256(X25519(writer, dispatcher), "helve audit record v1" writer dispatcher)
//
// A worker makes its pair when it starts and is named after the public half, so nobody else can
// write under its name. The pair of a dispatcher follows from the key with which it seals.
//
// It promises that a proven record was written by the worker that it names, or by a dispatcher
// whose key is trusted, and was not changed since. It does not promise that a worker is a
// worker of the operator: a program that may connect to NATS as one can be one, under a name of its own.
// A dispatcher that the writer did not know finds no HMAC for it, so the writer is unknown to it.
package proof

// Verdict is the judgment of a dispatcher about the writer of a record.
type Verdict uint8

const (
	// Unexamined means that nobody looked for a proof.
	Unexamined Verdict = iota
	// Proven means that the process that the record names wrote it, or a trusted dispatcher.
	Proven
	// Unknown means that the proof is not for this dispatcher, or is that of a dispatcher whose
	// key it does not trust.
	Unknown
	// Forged means that there is no proof, or that it does not hold.
	Forged
)

// String returns the verdict in a word, for metrics.
func (v Verdict) String() string {
	return [...]string{"unexamined", "proven", "unknown", "forged"}[v]
}
