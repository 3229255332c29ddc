// Package audit defines audit records, seals them, verifies the trail, and exports it.
//
// # What it promises
//
// Without the signing key, a sealed record cannot be changed, removed, added, moved or
// cut off without verification finding and naming it. Records of one tenant are
// verified with records of that tenant alone, offline, with only the public key. A
// record contains no arguments, no results and no secrets; it contains a hash of the
// arguments.
//
// A seal also says of each record whether a key proves its writer (package proof), so what others
// write in the name of a process is found as forged.
//
// # What it does not promise
//
// It does not protect a record before its seal is written, which takes about a second,
// nor against the holder of the signing key. It does not detect that the end of a trail
// was removed together with all its notes: keep exports elsewhere.
//
// # The proof
//
// Each tenant has a chain of seals. In the following, u64 is eight bytes, big-endian;
// str is one byte with the length, then the text; H is SHA-256; and tag(k) is the 14
// bytes "helve.audit.v1" and one byte k.
//
//	leaf       H(tag(0) u64(place in the stream) H(record as stored)); tag(8) in
//	           place of tag(0) where what is stored is no record of the tenant
//	           and tool that its subject names
//	part leaf  H(tag(9) u64(place in the stream) u64(part) H(record)), for a part from 1
//	           on; tag(10) in place of tag(9) where what is stored is none of the tenant
//	writer     in place of tag(0) and tag(9): tag(13) and tag(14) where the sealer has proven the
//	           writer, tag(15) and tag(16) where it cannot tell, tag(17) and tag(18) where the
//	           record has no proof or a false one; tag(0) and tag(9) say nothing about it
//	node       H(tag(1) left right); neighbours are paired, an odd one moves up as it is
//	root       the node that is left, as in RFC 6962
//	leaves     for each message: its place less the place before (less from_seq-1
//	           for the first) as an unsigned varint; in version 2, the number of its
//	           records as an unsigned varint; then their leaves
//	statement  tag(2) u64(seal) u64(from_seq) u64(to_seq) u64(count) root prev
//	           u64(time) u64(prev_time) H(leaves) str(tenant) str(key_id); tag(11)
//	           in place of tag(2) in version 2
//	signature  Ed25519 over the statement
//	prev       H(tag(3) statement signature) of the seal before; zeros for seal 1
//
// A message under the subject audit.helve.block holds one record per line, up to 1,000:
// [Records] splits it. Adjacent lines of less than 64 bytes, which no record has, are
// joined until they have 64. The place of a record is the place of its message and its
// part, its index in that message from 0. Every other message is one record, part 0,
// whatever bytes it holds. A seal of messages with one record each has version 1, like
// all seals before blocks existed, and does not contain its version. A seal that covers
// a message with more records has version 2 and the member "version":2; count is then
// the number of records. A seal covers whole messages, so verification names each
// record that was changed, removed, added or moved within a message. Unknown versions
// are refused.
//
// Times are nanoseconds of the Unix epoch, prev_time that of the seal before, 0 for
// seal 1. A key's id is the first 8 bytes of its H in hex. A seal covers every place
// from from_seq, which follows the to_seq of the seal before (1 for seal 1), to to_seq,
// the place of its last message: where it has no leaf there is no record of this
// tenant.
//
// # An export
//
// Lines of JSON: a header, records, each seal after the records it covers, a trailer.
// The line of a record is the stored object with its place inserted as the first
// member, and its part as the second unless it is 0, so that the stored bytes can be
// restored. A record that is not such an object, or begins with a member "part" or
// "raw", is {"seq":N,"raw":"base64"}, with its part as the second member too. The
// header has version 2. Exports of version 1 have no parts. The trailer, still of
// version 1, is signed over
//
//	tag(5) u64(lines) u64(records) u64(seals) u64(last_seal) chain str(tenant) str(key_id)
//
// where chain begins as zeros and becomes H(tag(4) chain line) with each line before
// the trailer. An export with a filter holds the records that match and the seals that
// cover them.
package audit
