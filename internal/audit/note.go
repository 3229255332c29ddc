package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// note is stored outside the chains. A tenant's note is the end of its chain: it shows
// whether the last seals are missing. The note without a tenant is the place up to
// which everything is sealed, which avoids reading the whole stream at each start.
// Notes are signed, because otherwise an attacker could advance them to keep records
// from being sealed.
type note struct {
	Tenant    string    `json:"tenant,omitempty"`
	N         uint64    `json:"seal,omitzero"`
	To        uint64    `json:"to_seq"`
	Hash      Hash      `json:"hash,omitzero"`
	Time      time.Time `json:"time,omitzero"`
	KeyID     string    `json:"key_id"`
	Signature []byte    `json:"signature"`
}

func (n *note) head() head { return head{n.N, n.To, n.Hash, n.Time} }

func (n *note) statement() []byte {
	b := tagged(nil, tagNote)
	b = binary.BigEndian.AppendUint64(b, n.N)
	b = binary.BigEndian.AppendUint64(b, n.To)
	b = append(b, n.Hash[:]...)
	b = binary.BigEndian.AppendUint64(b, nanos(n.Time))
	return appendString(appendString(b, n.Tenant), n.KeyID)
}

// writeNote stores the end of a chain or, without a tenant, the sealed place.
func writeNote(ctx context.Context, seals Seals, tenant string, h head, key ed25519.PrivateKey) error {
	n := note{Tenant: tenant, N: h.N, To: h.To, Hash: h.Hash, Time: h.Time, KeyID: KeyID(publicOf(key))}
	n.Signature = ed25519.Sign(key, n.statement())
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := seals.Note(ctx, tenant, data); err != nil {
		return fmt.Errorf("write the note about %q: %w", tenant, err)
	}
	return nil
}

// SealedTo returns the place up to which the records of all tenants are sealed.
func SealedTo(ctx context.Context, seals Seals, keys ...ed25519.PublicKey) (uint64, error) {
	h, err := readNote(ctx, seals, positionNote, ring(keys...))
	return h.To, err
}

var errNote = errors.New("the note of what was sealed is not ours")

// readNote returns the stored note; nothing if there is none, and errNote if it is not
// trusted.
func readNote(ctx context.Context, seals Seals, tenant string, keys keyring) (head, error) {
	data, err := seals.Noted(ctx, tenant)
	if err != nil {
		return head{}, fmt.Errorf("read the note about %q: %w", tenant, err)
	}
	if data == nil {
		return head{}, nil
	}
	var n note
	if err := json.Unmarshal(data, &n); err != nil {
		return head{}, errNote
	}
	key, ok := keys[n.KeyID]
	if !ok || n.Tenant != tenant || !ed25519.Verify(key, n.statement(), n.Signature) {
		return head{}, errNote
	}
	return n.head(), nil
}
