package services

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/identity/vault"
)

// versionWait bounds how long a reader waits for a version of an entry.
const versionWait = 5 * time.Second

// Version names what is stored for an entry now, "" if nothing is.
func (s *Store) Version(ctx context.Context, at vault.Place) (string, error) {
	if err := checkPlace(at); err != nil {
		return "", err
	}
	value, err := s.Bucket.Get(ctx, keyOf(at))
	if value == nil || err != nil {
		return "", err
	}
	return versionOf(value), nil
}

func versionOf(value []byte) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:8])
}

// Await waits until the reader has a version of an entry. It returns after a time also if that
// does not come: the entry may have been changed again.
func (r *Reader) Await(ctx context.Context, at vault.Place, version string) {
	ctx, cancel := context.WithTimeout(ctx, versionWait)
	defer cancel()
	for {
		r.mu.Lock()
		if version == "" || slices.ContainsFunc(r.entries[group{at.Tenant, at.User, at.Service}], func(e *stored) bool {
			return e.at == at && versionOf(e.value) == version
		}) {
			r.mu.Unlock()
			return
		}
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
