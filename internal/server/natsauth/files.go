package natsauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nats-io/nkeys"
)

// keyDir holds the seeds of users, each in a file that only its owner can read.
type keyDir string

func (d keyDir) file(u User) string { return filepath.Join(string(d), u.File()+".nk") }

// public returns the public key of a user, and creates the seed if there is none.
func (d keyDir) public(u User) (string, error) {
	seed, err := os.ReadFile(d.file(u))
	if errors.Is(err, fs.ErrNotExist) {
		var public string
		if seed, public, err = NewKey(); err != nil {
			return "", err
		}
		return public, replace(d.file(u), seed)
	}
	if err != nil {
		return "", err
	}
	pair, err := nkeys.ParseDecoratedUserNKey(seed)
	if err != nil {
		return "", fmt.Errorf("%s does not contain a user's NKey seed; remove it to create a new one: %w", d.file(u), err)
	}
	return pair.PublicKey()
}

// NewKey creates a user's NKey: its secret seed, and its public key.
func NewKey() (seed []byte, public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", err
	}
	if public, err = pair.PublicKey(); err != nil {
		return nil, "", err
	}
	seed, err = pair.Seed()
	return seed, public, err
}

// WriteKey creates a user's key below dir, or uses the existing one, and the NATS
// context to connect with. It returns the public key.
func (u User) WriteKey(dir, url string) (public string, err error) {
	if u, err = u.withDefaults(); err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	keys := keyDir(filepath.Join(dir, "keys"))
	if public, err = keys.public(u); err != nil {
		return "", err
	}
	return public, u.writeContext(dir, url, keys.file(u))
}

// ContextFile returns the file in which WriteKey stores the context of a user.
func (u User) ContextFile(dir string) string {
	u, _ = u.withDefaults()
	return filepath.Join(dir, "contexts", u.File()+".json")
}

func (u User) writeContext(dir, url, key string) error {
	text, err := json.MarshalIndent(map[string]string{
		"description": "Helve " + u.File(), "url": url, "nkey": key, "inbox_prefix": u.Inbox(),
	}, "", "  ")
	if err != nil {
		return err
	}
	return replace(u.ContextFile(dir), append(text, '\n'))
}

// replace writes a file that only its owner can read, atomically.
func replace(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // created with 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
