package identity

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// lookEvery is how often the key file is read again: a key that is taken out
// stops to count as fast.
const lookEvery = time.Second

// keys are the API keys of a file that may change.
type keys struct {
	path string
	log  *zap.Logger
	ring atomic.Pointer[keyring]
}

// openKeys reads the file and follows it until ctx ends.
func openKeys(ctx context.Context, path string, log *zap.Logger) (*keys, error) {
	k := &keys{path: path, log: log}
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

// follow compares what the file says, not its time: a mounted secret is swapped
// by a link, and two edits can fall into one tick of the file system's clock. A
// state that is no good is logged once, and the keys before it go on counting.
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
	k.log.Error("the API keys cannot be read again; those read before go on counting", zap.String("file", k.path), zap.Error(err))
}

// identify returns whose key it is.
func (k *keys) identify(key string, now time.Time) (Principal, error) {
	id, secret, _ := splitKey(key)
	// An id that is unknown takes the same way, against a hash nothing has.
	known := (*k.ring.Load())[id]
	if !hashOf(secret).equal(known.hash) || id == "" {
		return Principal{}, unauthenticated("the API key is not valid; ask an administrator for one")
	}
	switch {
	case known.disabled:
		return Principal{}, unauthenticated("the API key is disabled; ask an administrator for another")
	case !known.expires.IsZero() && !now.Before(known.expires):
		return Principal{}, unauthenticated("the API key has expired; ask an administrator for another")
	}
	return known.who, nil
}
