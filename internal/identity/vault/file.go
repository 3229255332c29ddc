package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/helve-dev/helve/internal/identity/secretfile"
)

// maxFile bounds a file of keys, in bytes.
const maxFile = 64 << 10

// OpenFile reads the keys of a file that only its owner may read, and follows its changes.
// Report receives the error of each invalid change once; the previous keys stay in use.
func OpenFile(path string, report func(error)) (*Keys, error) {
	k := &Keys{path: path, report: report, looked: time.Now(), seen: look(path)}
	r, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("master keys %s: %w", path, err)
	}
	k.ring.Store(r)
	return k, nil
}

// refresh reads the file again if it changed, at most once a second. A caller that finds
// another one reading does not wait.
func (k *Keys) refresh() {
	if k.path == "" || !k.mu.TryLock() {
		return
	}
	defer k.mu.Unlock()
	now := time.Now()
	if now.Sub(k.looked) < refreshEvery {
		return
	}
	k.looked = now
	seen := look(k.path)
	if seen == k.seen {
		return
	}
	k.seen = seen
	r, err := readFile(k.path)
	switch {
	case err == nil:
		k.ring.Store(r)
	case k.report != nil:
		k.report(fmt.Errorf("master keys %s: %w; the keys read before stay in use", k.path, err))
	}
}

// look returns equal texts for the same version of a file.
func look(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "gone"
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode())
}

func readFile(path string) (*ring, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // opening a pipe would block
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unreadable(err)
	}
	if err := secretfile.Check(info); err != nil {
		return nil, fmt.Errorf("%w, and replace the key if somebody may have read it", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, unreadable(err)
	}
	return parse(string(text))
}

func unreadable(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("it cannot be read: %w", err)
}

// Create writes a new key to path, unless there is a file already.
func Create(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	key, err := Generate()
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".secrets.*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(key + "\n")
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	// A hard link never replaces the key of a process that was first.
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
