// Package keyfile stores private keys in files, and encodes public keys for others.
//
// # What it promises
//
// A key is created once: however many processes start concurrently with one directory,
// all get the same key. A returned key is on disk, even after a power cut. A file that
// users other than its owner and the groups of the process can read, or that contains
// anything but one Ed25519 key, is refused and not changed.
//
// # What it does not promise
//
// Keys are not encrypted, and are only replaced by [Rotate]. To create keys, the
// directory must be on a file system with hard links.
package keyfile

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/helve-dev/helve/internal/identity/secretfile"
)

// maxFile limits a key file in bytes; one key has about 120.
const maxFile = 16 << 10

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Load returns the private key of dir/name.pem, a PKCS#8 file in PEM, and creates both
// the directory and the key if they are missing. name is 1 to 64 letters, digits, "_"
// or "-". Errors are for the operator: they name the file and the remedy.
func Load(dir, name string) (ed25519.PrivateKey, error) {
	if !nameForm.MatchString(name) {
		return nil, fmt.Errorf("key name %q must match %s", name, nameForm)
	}
	file := filepath.Join(dir, name+".pem")
	key, err := read(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := create(dir, file); err != nil {
		return nil, fmt.Errorf("make signing key %s: %w", file, err)
	}
	// The existing file is the key, whichever process created it.
	return read(file)
}

func read(file string) (ed25519.PrivateKey, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("signing key: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("signing key %s is not a file; move it away and a new key is made", file)
	}
	if err := secretfile.Check(info); err != nil {
		return nil, fmt.Errorf("signing key %s: %w, or if somebody may have read it remove it and a new key is made", file, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	key, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w; restore it from a backup, or remove it and a new key is made", file, err)
	}
	return key, nil
}

func parse(text []byte) (ed25519.PrivateKey, error) {
	block, rest := pem.Decode(text)
	switch {
	case block == nil || strings.TrimSpace(string(rest)) != "":
		return nil, errors.New("it must hold one PEM block and nothing behind it")
	case block.Type != "PRIVATE KEY":
		return nil, fmt.Errorf("it holds a block %q and must hold a PRIVATE KEY (PKCS#8)", block.Type)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("its PRIVATE KEY is damaged or not PKCS#8")
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("it holds a key of another type; only Ed25519 is used")
	}
	return private, nil
}
