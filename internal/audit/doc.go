// Package audit keeps the trail honest: what a record is, how records are
// sealed, how anybody finds what was changed, and how the trail is handed out.
//
// # What it promises
//
// A record that was sealed cannot be changed, removed, added, moved or cut off
// without a verification finding and naming it, by whoever holds the files but
// not the signing key. Records of one tenant are proved with records of that
// tenant alone, offline, with nothing but the public key. A record holds no
// arguments, no results and no secrets; arguments are there as a hash.
//
// # What it does not promise
//
// Anything about a record before its seal is written, a second or so; anything
// against who holds the signing key. That a trail was cut off at its end and at
// all its notes together: keep exports elsewhere.
//
// # The proof
//
// Each tenant has a chain of seals. In what follows u64 is eight bytes, big end
// first; str is a byte that holds the length and then the text; H is SHA-256;
// and tag(k) is the 14 bytes "helve.audit.v1" and one byte k.
//
//	leaf       H(tag(0) u64(place in the stream) H(record as stored))
//	node       H(tag(1) left right); neighbours are paired, an odd one moves up as it is
//	root       the node that is left, as in RFC 6962
//	leaves     for each record: its place less the place before (less from_seq-1
//	           for the first) as an unsigned varint, then its leaf
//	statement  tag(2) u64(seal) u64(from_seq) u64(to_seq) u64(count) root prev
//	           u64(time) u64(prev_time) H(leaves) str(tenant) str(key_id)
//	signature  Ed25519 over the statement
//	prev       H(tag(3) statement signature) of the seal before; zeros for seal 1
//
// Times are nanoseconds of the Unix epoch, prev_time that of the seal before, 0
// for seal 1. A key's id is the first 8 bytes of its H in hex. A seal covers
// every place from from_seq, which follows the to_seq of the seal before (1 for
// seal 1), to to_seq, the place of its last record: where it names no leaf there
// is no record of this tenant.
//
// # An export
//
// Lines of JSON: a header, records, each seal after the records it covers, a
// trailer. A record's line is the stored object with its place put in as the
// first member, so that the stored bytes can be taken out again; a record that
// is no such object is {"seq":N,"raw":"base64"}. The trailer is signed over
//
//	tag(5) u64(lines) u64(records) u64(seals) u64(last_seal) chain str(tenant) str(key_id)
//
// where chain begins as zeros and becomes H(tag(4) chain line) with each line
// before the trailer. An export with a filter holds the records that match and
// the seals that cover them.
package audit
