package vault

import (
	"context"
	"errors"
	"fmt"
)

// Wrapper protects data keys with master keys. It is safe for concurrent use.
type Wrapper interface {
	// Current returns the id of the master key that Wrap uses. The error is
	// [ErrNoKey] if there is none.
	Current(ctx context.Context) (string, error)
	// Wrap encrypts a data key. Unwrapping it requires the same bound bytes.
	Wrap(ctx context.Context, key, bound []byte) (Wrapped, error)
	// Unwrap decrypts a data key. The error is a [*MissingKeyError] if its master key is
	// not there, and [ErrDamaged] if the bytes are not what Wrap returned.
	Unwrap(ctx context.Context, w Wrapped, bound []byte) ([]byte, error)
}

// Wrapped is a data key that a master key protects.
type Wrapped struct {
	KeyID string `json:"id"`
	Data  []byte `json:"data"`
}

var (
	// ErrNoKey means that this process has no master key.
	ErrNoKey = errors.New("no master key is configured: give --secrets-key FILE (`helve config key` makes a key)")
	// ErrDamaged means that an entry was changed or moved by somebody without the master
	// key.
	ErrDamaged = errors.New("it was changed or moved outside of Helve; set it again")
)

// MissingKeyError means that an entry is protected by a master key that this process does
// not have.
type MissingKeyError struct{ KeyID string }

// Error names the key.
func (e *MissingKeyError) Error() string {
	return fmt.Sprintf("the master key %.40s is not in the file of --secrets-key: add the lost key to it, or set the entry again", e.KeyID)
}
