package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	webpush "github.com/SherClockHolmes/webpush-go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity/vault"
)

// keyPair signs the requests to push services. All dispatchers of an installation have the
// same one, because a device subscribes for one public key.
type keyPair struct{ public, private string }

// stored is the key pair in the bucket.
type stored struct {
	Public string       `json:"public"`
	Sealed vault.Sealed `json:"sealed"`
}

const (
	// keyName is the key of the bucket for the key pair, and field the name of its secret.
	keyName = "vapid"
	field   = "private"
)

// place is where the private key is encrypted for.
var place = vault.Place{Service: "_push", Label: keyName}

// pair returns the key pair. It is read each time: an operator may delete the bucket. The first
// dispatcher that needs one makes it.
func (s *Service) pair(ctx context.Context) (keyPair, error) {
	for {
		value, err := s.Bucket.Get(ctx, keyName)
		if err != nil {
			return keyPair{}, err
		}
		if value != nil {
			return s.unseal(ctx, value)
		}
		made, value, err := s.make(ctx)
		if err != nil {
			return keyPair{}, err
		}
		if err := s.Bucket.Create(ctx, keyName, value); !errors.Is(err, natsio.ErrExists) {
			return made, err
		}
	}
}

func (s *Service) make(ctx context.Context) (made keyPair, value []byte, err error) {
	if made.private, made.public, err = webpush.GenerateVAPIDKeys(); err != nil {
		return made, nil, err
	}
	sealed, err := vault.Seal(ctx, s.Keys, place, []byte(made.public), map[string]string{field: made.private})
	if err != nil {
		return made, nil, err
	}
	value, err = json.Marshal(stored{made.public, sealed})
	return made, value, err
}

func (s *Service) unseal(ctx context.Context, value []byte) (keyPair, error) {
	var in stored
	if err := json.Unmarshal(value, &in); err != nil {
		return keyPair{}, fmt.Errorf("the key pair of web push is unreadable: %w", err)
	}
	secrets, err := vault.Unseal(ctx, s.Keys, place, []byte(in.Public), in.Sealed)
	return keyPair{in.Public, secrets[field]}, err
}

// Rewrap protects the key pair with the current master key, and reports whether that was
// another one before.
func (s *Service) Rewrap(ctx context.Context) (changed bool, err error) {
	for range races {
		old, err := s.Bucket.Get(ctx, keyName)
		if old == nil || err != nil {
			return false, err
		}
		var in stored
		if err := json.Unmarshal(old, &in); err != nil {
			return false, vault.ErrDamaged
		}
		if in.Sealed, changed, err = vault.Rewrap(ctx, s.Keys, place, in.Sealed); !changed || err != nil {
			return false, err
		}
		value, err := json.Marshal(in)
		if err != nil {
			return false, err
		}
		if err = s.Bucket.Replace(ctx, keyName, old, value); !errors.Is(err, natsio.ErrExists) {
			return err == nil, err
		}
	}
	return false, natsio.ErrExists
}
