package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
)

// grantPurpose is part of each grant's signature.
const grantPurpose = "helve grant v1"

// seal returns a grant in its stored form, signed.
func (g *Grants) seal(grant protocol.Grant) ([]byte, error) {
	body, err := json.Marshal(grant)
	if err != nil {
		return nil, err
	}
	note, err := g.Signer.Note(grantPurpose, body)
	return []byte(note), err
}

// read returns the grant stored under key, or nil if no dispatcher signed it for that
// key. A refusal is valid without a signature, because it allows nothing. An error
// means that no dispatcher could yet confirm the signing key.
func (g *Grants) read(key string, value []byte) (*protocol.Grant, error) {
	body, err := g.Ring.OpenNote(grantPurpose, string(value))
	signed := err == nil
	if refusal, ok := errors.AsType[*token.Refusal](err); ok && refusal.Binding == token.Unconfirmed {
		return nil, fmt.Errorf("grant %s: %w", key, err)
	}
	if !signed {
		body = value
	}
	grant := new(protocol.Grant)
	if json.Unmarshal(body, grant) != nil || keyOf(grant) != key || !signed && !grant.Deny {
		return nil, nil //nolint:nilerr // an unsigned value is not a grant
	}
	return grant, nil
}

const (
	// signAgain is the interval at which a service signs grants of other keys: each key
	// expires some time after its dispatcher is gone, and grants last longer.
	signAgain = 12 * time.Hour
	// signSoon is the same while a key is not confirmed yet.
	signSoon = time.Minute
)

// keepSigned signs the grants of other keys with the service's own, until ctx ends.
func (svc *Service) keepSigned(ctx context.Context) {
	own := &token.Keyring{}
	if err := own.Put(svc.Signer.KeyID(), svc.Signer.Public()); err != nil {
		svc.Log.Error("grants not signed again", zap.Error(err))
		return
	}
	for ctx.Err() == nil {
		pause := time.NewTimer(svc.signOthers(ctx, own))
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

// signOthers signs each valid grant that own does not verify, and returns the delay
// until the next run.
func (svc *Service) signOthers(ctx context.Context, own *token.Keyring) time.Duration {
	next := signAgain
	err := svc.grants.Bucket.Load(ctx, func(key string, value []byte) {
		if _, err := own.OpenNote(grantPurpose, string(value)); err == nil {
			return
		}
		grant, err := svc.grants.read(key, value)
		if err != nil {
			next = signSoon
		}
		if grant == nil {
			return
		}
		again, err := svc.grants.seal(*grant)
		if err == nil {
			err = svc.grants.Bucket.Replace(ctx, key, value, again) // not over a change or a revocation
		}
		if err != nil && !errors.Is(err, natsio.ErrExists) {
			next = signSoon
		}
	})
	if err != nil {
		if ctx.Err() == nil {
			svc.Log.Warn("grants not signed again; trying later", zap.Error(err))
		}
		return signSoon
	}
	return next
}
