package keyfile

import (
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Set is the keys of one purpose in a directory.
type Set struct {
	// Signing is the key that signs.
	Signing ed25519.PrivateKey
	// Old lists public keys that still verify their earlier signatures.
	Old []ed25519.PublicKey
}

// Public returns the public half of the signing key.
func (s Set) Public() ed25519.PublicKey {
	key, _ := s.Signing.Public().(ed25519.PublicKey)
	return key
}

// LoadSet returns the keys of a purpose: dir/name.pem signs and is created if missing,
// and the files dir/name.*.pem hold older keys that verify, as PUBLIC KEY blocks or as
// one PRIVATE KEY.
func LoadSet(dir, name string) (Set, error) {
	key, err := Load(dir, name)
	if err != nil {
		return Set{}, err
	}
	s := Set{Signing: key}
	files, err := filepath.Glob(filepath.Join(dir, name+".*.pem"))
	if err != nil {
		return Set{}, err
	}
	for _, file := range files {
		keys, err := readOld(file)
		if err != nil {
			return Set{}, err
		}
		for _, old := range keys {
			if !old.Equal(s.Public()) && !slices.ContainsFunc(s.Old, func(k ed25519.PublicKey) bool { return k.Equal(old) }) {
				s.Old = append(s.Old, old)
			}
		}
	}
	return s, nil
}

func readOld(file string) ([]ed25519.PublicKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("old key: %w", err)
	}
	if block, _ := pem.Decode(text); block != nil && block.Type == "PRIVATE KEY" {
		key, err := read(file)
		if err != nil {
			return nil, err
		}
		return []ed25519.PublicKey{Set{Signing: key}.Public()}, nil
	}
	keys, err := ParsePublicPEM(text)
	if err != nil {
		return nil, fmt.Errorf("old key %s: %w; restore it, or remove it and the key no longer verifies", file, err)
	}
	return keys, nil
}

// Exists reports whether a directory has a key of a purpose that signs.
func Exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name+".pem"))
	return err == nil
}

// Rotate creates a new signing key dir/name.pem. The public half of the previous key
// stays as dir/name.ID.pem, so that it verifies until that file is removed; its private
// half is deleted. ID is the key's id.
func Rotate(dir, name string, id func(ed25519.PublicKey) string) (Set, error) {
	before, err := LoadSet(dir, name)
	if err != nil {
		return Set{}, err
	}
	old := filepath.Join(dir, name+"."+id(before.Public())+".pem")
	if err := replace(old, PublicPEM(before.Public())); err != nil {
		return Set{}, err
	}
	text, err := generate()
	if err != nil {
		return Set{}, err
	}
	if err := replace(filepath.Join(dir, name+".pem"), text); err != nil {
		return Set{}, err
	}
	return LoadSet(dir, name)
}

// replace writes a file with mode 0600, atomically.
func replace(file string, text []byte) error {
	dir := filepath.Dir(file)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(file)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), file); err != nil {
		return err
	}
	return flush(dir)
}
