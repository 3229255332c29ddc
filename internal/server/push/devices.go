package push

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/internal/server/api"
)

// Devices is the number of devices that a person can have.
const Devices = 20

// device is a subscription as it is stored.
type device struct {
	Endpoint string            `json:"endpoint"`
	P256dh   string            `json:"p256dh"`
	Auth     string            `json:"auth"`
	Language sentence.Language `json:"language"`
	Since    time.Time         `json:"since"`
}

// devices stores the devices of each person under one key.
type devices struct{ bucket *natsio.Bucket }

// keyOf returns the key of a person. Names of tenants and people have no dots.
func keyOf(tenant, user string) string { return "devices." + tenant + "." + user }

// of returns the devices of a person, the oldest first.
func (d devices) of(ctx context.Context, tenant, user string) ([]device, error) {
	value, err := d.bucket.Get(ctx, keyOf(tenant, user))
	return decode(value), err
}

// decode returns the stored devices. A value that cannot be read has none: the next
// subscription replaces it.
func decode(value []byte) (all []device) {
	if json.Unmarshal(value, &all) != nil {
		return nil
	}
	return all
}

// races bounds the attempts to change the devices of a person that others change too.
const races = 20

// put stores a device in place of one with the same endpoint, or of the oldest if there are
// too many.
func (d devices) put(ctx context.Context, tenant, user string, added device) error {
	_, err := d.change(ctx, tenant, user, func(all []device) []device {
		all = append(slices.DeleteFunc(all, added.same), added)
		return all[max(len(all)-Devices, 0):]
	})
	return err
}

// remove removes a device and reports whether it was stored.
func (d devices) remove(ctx context.Context, tenant, user, endpoint string) (bool, error) {
	return d.change(ctx, tenant, user, func(all []device) []device {
		return slices.DeleteFunc(all, device{Endpoint: endpoint}.same)
	})
}

func (d device) same(other device) bool { return d.Endpoint == other.Endpoint }

// change stores what next returns of a person's devices, and reports whether that is another
// number of them, or another last one.
func (d devices) change(ctx context.Context, tenant, user string, next func([]device) []device) (bool, error) {
	key := keyOf(tenant, user)
	for range races {
		old, err := d.bucket.Get(ctx, key)
		if err != nil {
			return false, err
		}
		before := decode(old)
		after := next(slices.Clone(before))
		if slices.Equal(before, after) {
			return false, nil
		}
		if len(after) == 0 {
			gone, err := d.bucket.DeleteIf(ctx, key, old)
			if gone || err != nil {
				return gone, err
			}
			continue
		}
		value, err := json.Marshal(after)
		if err != nil {
			return false, err
		}
		if old == nil {
			err = d.bucket.Create(ctx, key, value)
		} else {
			err = d.bucket.Replace(ctx, key, old, value)
		}
		if !errors.Is(err, natsio.ErrExists) {
			return err == nil, err
		}
	}
	return false, api.Unavailable("the devices of %s are being changed by others; try again", user)
}
