package identity

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// lookEvery is the interval at which the key file is read again: a removed key is
// refused within that time.
const lookEvery = time.Second

// keys are the API keys of a file that may change.
type keys struct {
	path    string
	log     *zap.Logger
	refused func()
	ring    atomic.Pointer[keyring]
}

// openKeys reads the file and follows it until ctx ends.
func openKeys(ctx context.Context, path string, log *zap.Logger, refused func()) (*keys, error) {
	k := &keys{path: path, log: log, refused: refused}
	text, err := readKeyFile(path)
	if err == nil {
		err = k.use(text)
	}
	if err != nil {
		return nil, fmt.Errorf("auth.keys_file %s: %w", path, err)
	}
	go k.follow(ctx, text)
	return k, nil
}

func (k *keys) use(text []byte) error {
	ring, err := parseKeys(text)
	if err != nil {
		return err
	}
	k.ring.Store(&ring)
	k.log.Info("API keys were read", zap.String("file", k.path), zap.Int("keys", len(ring)))
	return nil
}

// follow compares the file's contents, not its time: a mounted secret is replaced by a
// link, and two edits can fall into one tick of the file system's clock. An invalid
// version is logged once, and the previous keys remain valid.
func (k *keys) follow(ctx context.Context, text []byte) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	unreadable := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := readKeyFile(k.path)
		if err != nil {
			if unreadable != err.Error() {
				k.keep(err)
			}
			unreadable = err.Error()
			continue
		}
		if bytes.Equal(now, text) && unreadable == "" {
			continue
		}
		text, unreadable = now, ""
		if err := k.use(text); err != nil {
			k.keep(err)
		}
	}
}

func (k *keys) keep(err error) {
	k.refused()
	k.log.Error("API keys not read again; the old ones stay in use", zap.String("file", k.path), zap.Error(err))
}

// identify returns the principal of a key.
func (k *keys) identify(key string, now time.Time) (Principal, error) {
	id, secret, _ := splitKey(key)
	// An unknown ID takes the same path, against a hash that matches nothing.
	known := (*k.ring.Load())[id]
	if !hashOf(secret).equal(known.hash) || id == "" {
		return Principal{}, errKey()
	}
	return known.valid(now)
}

// errKey is the only error for a key that the file does not have.
func errKey() error {
	return unauthenticated("the API key is not valid; ask an administrator for one")
}

// valid returns the principal of a key whose secret is known to be right.
func (known apiKey) valid(now time.Time) (Principal, error) {
	switch {
	case known.disabled:
		return Principal{}, unauthenticated("the API key is disabled; ask an administrator for another")
	case !known.expires.IsZero() && !now.Before(known.expires):
		return Principal{}, unauthenticated("the API key has expired; ask an administrator for another")
	}
	return known.who, nil
}
