package audit

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// sealBlocks is the version of a seal that covers a message with more than one record.
// All other seals have version 1, which is not written.
const sealBlocks = 2

// Seal is a signed statement about the records of a tenant in a part of the stream. The
// package's doc defines what is hashed and signed.
type Seal struct {
	// N is the number of the seal of the tenant, from 1.
	N uint64 `json:"seal"`
	// Version is 0 for version 1, or [sealBlocks].
	Version int    `json:"version,omitzero"`
	Tenant  string `json:"tenant"`
	// From and To are the places in the stream of the first and the last covered
	// message; there is a message at To.
	From uint64 `json:"from_seq"`
	To   uint64 `json:"to_seq"`
	// Count is the number of covered records.
	Count int  `json:"count"`
	Root  Hash `json:"root"`
	// Prev is the hash of the previous seal, PrevTime its time.
	Prev     Hash      `json:"prev"`
	Time     time.Time `json:"time"`
	PrevTime time.Time `json:"prev_time,omitzero"`
	KeyID    string    `json:"key_id"`
	// Leaves holds the place and the hash of every record, message by message.
	Leaves    []byte `json:"leaves"`
	Signature []byte `json:"signature"`
}

// head is the end of a chain: all that the next seal needs.
type head struct {
	N, To uint64
	Hash  Hash
	Time  time.Time
}

// opened is a seal with a verified signature.
type opened struct {
	Seal
	leaves
	hash Hash
}

func (o *opened) head() head { return head{o.N, o.To, o.hash, o.Time} }

// KeyID names a public key in seals and exports.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8])
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey {
	public, _ := key.Public().(ed25519.PublicKey) // it is one
	return public
}

type keyring map[string]ed25519.PublicKey

func ring(keys ...ed25519.PublicKey) keyring {
	r := keyring{}
	for _, k := range keys {
		if len(k) == ed25519.PublicKeySize { // Verify panics on other keys
			r[KeyID(k)] = k
		}
	}
	return r
}

// seal creates the seal over l that follows last.
func seal(tenant string, last head, l leaves, now time.Time, key ed25519.PrivateKey) opened {
	o := opened{leaves: l, Seal: Seal{
		N: last.N + 1, Version: l.version(), Tenant: tenant, From: last.To + 1, To: l.places[l.len()-1].Seq, Count: l.len(),
		Root: root(l.hashes), Prev: last.Hash, Time: now.UTC(), PrevTime: last.Time,
		KeyID: KeyID(publicOf(key)), Leaves: l.pack(last.To + 1),
	}}
	statement := o.statement()
	o.Signature = ed25519.Sign(key, statement)
	o.hash = sealHash(statement, o.Signature)
	return o
}

func (s *Seal) statement() []byte {
	tag := tagSeal
	if s.Version == sealBlocks {
		tag = tagBlockSeal
	}
	b := tagged(make([]byte, 0, 256), tag)
	for _, n := range [...]uint64{s.N, s.From, s.To, uint64(s.Count)} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	b = append(append(b, s.Root[:]...), s.Prev[:]...)
	b = binary.BigEndian.AppendUint64(b, nanos(s.Time))
	b = binary.BigEndian.AppendUint64(b, nanos(s.PrevTime))
	sum := sha256.Sum256(s.Leaves)
	b = append(b, sum[:]...)
	return appendString(appendString(b, s.Tenant), s.KeyID)
}

func nanos(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(t.UnixNano())
}

// appendString appends the length of s and s. A longer text than the length can
// represent was never written by us, and is cut so that its signature fails.
func appendString(b []byte, s string) []byte {
	s = s[:min(len(s), 255)]
	return append(append(b, byte(len(s))), s...)
}

func sealHash(statement, signature []byte) Hash {
	return sha256.Sum256(append(append(tagged(nil, tagPrev), statement...), signature...))
}

var (
	errForged  = errors.New("it is not signed with a key that is trusted")
	errAltered = errors.New("it is not what was signed")
)

// open parses a seal and checks all that can be checked of it alone. The error is the
// problem of the seal; the seal is returned with it as far as it could be parsed.
func open(data []byte, keys keyring) (*opened, error) {
	o := new(opened)
	if err := json.Unmarshal(data, &o.Seal); err != nil {
		return o, fmt.Errorf("it cannot be read: %w", err)
	}
	if o.Version != 0 && o.Version != sealBlocks {
		return o, fmt.Errorf("it is of version %d, which this version of Helve cannot verify: verify it with a newer one", o.Version)
	}
	key, ok := keys[o.KeyID]
	if !ok {
		return o, fmt.Errorf("%w: %.32q", errForged, o.KeyID)
	}
	statement := o.statement()
	if len(o.Tenant) > 255 || !ed25519.Verify(key, statement, o.Signature) {
		return o, errAltered
	}
	var err error
	if o.leaves, err = unpack(o.Leaves, o.Version, o.From, o.Count); err != nil {
		return o, err
	}
	if o.places[o.Count-1].Seq != o.To || root(o.hashes) != o.Root {
		return o, errAltered
	}
	o.hash = sealHash(statement, o.Signature)
	return o, nil
}

// encode returns the seal in its stored form: one line, without the newline.
func (s *Seal) encode() ([]byte, error) { return json.Marshal(s) }
