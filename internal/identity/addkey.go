package identity

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// AddKey adds e to the key file at path and creates the file, with mode 0600, if it
// does not exist. Comments and order of the file are kept. Readers see the file before
// or after, never a part of it; of two concurrent additions, one may be told to try
// again.
func AddKey(path string, e Entry) error {
	if err := e.Check(); err != nil {
		return err
	}
	before, mode, err := keyFile(path)
	if err != nil {
		return err
	}
	entry, err := yaml.Marshal([]Entry{e})
	if err != nil {
		return err
	}
	after, err := withEntry(before, entry)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, before, after, mode)
}

// keyFile returns the text of the file, nil if there is none, and its mode.
func keyFile(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o600, nil
	}
	if err != nil {
		return nil, 0, err
	}
	text, err := readKeyFile(path)
	return text, info.Mode().Perm(), err
}

// withEntry returns text with one additional entry; the result must be a valid key
// file.
func withEntry(text, entry []byte) ([]byte, error) {
	known := keyring{}
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && !bytes.Equal(trimmed, []byte("[]")) {
		var err error
		if known, err = parseKeys(text); err != nil {
			return nil, err
		}
		if text[len(text)-1] != '\n' {
			text = append(bytes.Clone(text), '\n')
		}
		entry = append(bytes.Clone(text), entry...)
	}
	ring, err := parseKeys(entry)
	if err != nil || len(ring) != len(known)+1 {
		return nil,
			errors.New("the entry cannot be added behind the others; add it by hand (the file must be a list with one `- id: …` for each key)")
	}
	return entry, nil
}

// replaceFile writes text beside path and renames it to path, unless path has changed.
func replaceFile(path string, before, text []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".keys-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	switch now, _, err := keyFile(path); {
	case err != nil:
		return err
	case !bytes.Equal(now, before):
		return fmt.Errorf("%s was changed at the same time; try again", path)
	}
	return os.Rename(f.Name(), path)
}
