package keep

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
)

// Call is a call as it is kept.
type Call struct {
	CallID string
	// Element is its result as it was answered, without a value that was too large.
	Element json.RawMessage
	// Arguments are without secrets and made safe to display; nil if they are not known.
	Arguments json.RawMessage
	// LeftOut is the size in bytes of values that were too large to be kept.
	LeftOut int64
}

// appendCalls appends calls to b: each as the lengths of its texts, the size of what was left
// out, and the texts. JSON would be read and written once more for each.
func appendCalls(b []byte, calls []Call) []byte {
	for i := range calls {
		c := &calls[i]
		for _, n := range [...]int{len(c.CallID), len(c.Element), len(c.Arguments), int(c.LeftOut)} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = append(append(append(b, c.CallID...), c.Element...), c.Arguments...)
	}
	return b
}

var errBlock = errors.New("the block of kept calls cannot be read")

// readCalls reads what appendCalls has written.
func readCalls(b []byte) (calls []Call, err error) {
	for len(b) > 0 {
		var lengths [4]uint64
		for i := range lengths {
			n, size := binary.Uvarint(b)
			if size <= 0 {
				return nil, errBlock
			}
			lengths[i], b = n, b[size:]
		}
		var texts [3][]byte
		for i := range texts {
			if lengths[i] > uint64(len(b)) {
				return nil, errBlock
			}
			texts[i], b = b[:lengths[i]:lengths[i]], b[lengths[i]:]
		}
		c := Call{CallID: string(texts[0]), Element: texts[1], LeftOut: int64(lengths[3])}
		if len(texts[2]) > 0 {
			c.Arguments = texts[2]
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// maxElement is the size of the largest element that is kept as it is, in bytes.
const maxElement = 64 << 10

// bounded returns a call whose element is at most maxElement, and the size of what it lacks.
func bounded(element []byte) ([]byte, int64, error) {
	if len(element) <= maxElement {
		return element, 0, nil
	}
	var el protocol.Result
	if err := json.Unmarshal(element, &el); err != nil {
		return nil, 0, err
	}
	left := len(el.Result) + len(el.Text) + len(el.Content)
	el.Result, el.Text, el.Content = nil, "", nil
	short, err := json.Marshal(&el)
	if err == nil && len(short) > maxElement {
		el.Metadata, el.Notes = nil, nil
		short, err = json.Marshal(&el)
	}
	return short, int64(left), err
}

// The place of a block in the associated data of its encryption.
const (
	sealedAs = "kept calls"
	bodyOf   = "body"
)

func placeOf(tenant, user string) vault.Place {
	return vault.Place{Tenant: tenant, User: user, Service: sealedAs}
}

// pack sets the body of a block: its calls, compressed, and encrypted if there is a master key.
func pack(ctx context.Context, keys vault.Wrapper, b *kept.Block, calls []Call) error {
	b.Body = s2.Encode(nil, appendCalls(nil, calls))
	sealed, err := vault.Seal(ctx, keys, placeOf(b.Tenant, b.User), nil, map[string]string{bodyOf: string(b.Body)})
	if errors.Is(err, vault.ErrNoKey) {
		return nil
	}
	if err != nil {
		return err
	}
	b.Body = sealed.Values[bodyOf]
	delete(sealed.Values, bodyOf)
	key, err := json.Marshal(sealed)
	b.Key = string(key)
	return err
}

// unpack returns the calls of a block.
func unpack(ctx context.Context, keys vault.Wrapper, b *kept.Block) (calls []Call, err error) {
	body := b.Body
	if b.Key != "" {
		var sealed vault.Sealed
		if err := json.Unmarshal([]byte(b.Key), &sealed); err != nil || sealed.Values == nil {
			return nil, vault.ErrDamaged
		}
		sealed.Values[bodyOf] = b.Body
		open, err := vault.Unseal(ctx, keys, placeOf(b.Tenant, b.User), nil, sealed)
		if err != nil {
			return nil, err
		}
		body = []byte(open[bodyOf])
	}
	plain, err := s2.Decode(nil, body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBlock, err)
	}
	return readCalls(plain)
}

// Find returns a call that was kept, and until when it is; nil if it is not. Ended is when the
// call ended.
func (k *Keeper) Find(ctx context.Context, tenant, user, callID string, ended time.Time) (*Call, time.Time, error) {
	var found *Call
	var until time.Time
	var unread error
	err := k.Store.Find(ctx, tenant, user, callID, ended, func(b *kept.Block) bool {
		calls, err := unpack(ctx, k.Keys, b)
		if err != nil {
			unread = err
			return false
		}
		for i := range calls {
			if calls[i].CallID == callID {
				found, until = &calls[i], b.Until
				return true
			}
		}
		return false
	})
	if found == nil && err == nil {
		err = unread
	}
	return found, until, err
}
