package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// identityFile holds the identity of a workspaces directory. Names of tenants contain
// no dot, so no workspace contains the file.
const identityFile = ".identity"

var identityForm = regexp.MustCompile(`^[A-Z2-7]{26,64}\n$`)

// identityWait limits the wait for another process that is writing the file.
const identityWait = 5 * time.Second

// Identity returns the unique identity of this workspaces directory. It is in a file of
// the directory, which the first process creates: workers that share a volume have the
// same identity, workers with their own disks have different ones.
func (w *Workspaces) Identity() (string, error) {
	at := filepath.Join(w.dir, identityFile)
	id, err := readIdentity(at)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeIdentity(at); err == nil || errors.Is(err, fs.ErrExist) {
			id, err = readIdentity(at)
		}
	}
	if err != nil {
		return "", fmt.Errorf("workspaces: identity of the directory: %w", err)
	}
	return id, nil
}

// makeIdentity creates the file with its contents atomically; only one of several
// processes succeeds. The others get fs.ErrExist.
func makeIdentity(at string) error {
	text := rand.Text()
	temp := at + "-" + text
	if err := writeIdentity(temp, text); err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp) }()
	err := os.Link(temp, at)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return writeIdentity(at, text) // a file system without hard links
}

func writeIdentity(at, text string) error {
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(at))
	}
	return nil
}

// readIdentity waits for the process that is writing the file, if that takes two steps.
func readIdentity(at string) (string, error) {
	end := time.Now().Add(identityWait)
	for {
		text, err := os.ReadFile(at)
		if err != nil {
			return "", err
		}
		if identityForm.Match(text) {
			return strings.TrimSpace(string(text)), nil
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("%s is damaged; stop the workers that use the directory, remove the file, and start them again", at)
		}
		<-time.After(10 * time.Millisecond) // at the start of a worker, limited by identityWait
	}
}
