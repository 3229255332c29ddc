package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// previousCommit is the last release: the programs of this commit must work together with
// those of this one. Until releases have tags it is the newest commit of the main line that
// an earlier version of CHANGELOG.md, "Unreleased", was finished with. A release
// sets it to the commit of the one before.
const previousCommit = "13569a1a3a144fbb97e32ceec78cc0469f529314"

// release is a version of the programs, as the directory of its programs below [programs].
type release string

const (
	present  release = "."
	previous release = "previous"
)

func (r release) program(name string) string { return filepath.Join(string(r), name) }

func (r release) String() string {
	if r == previous {
		return "previous"
	}
	return "present"
}

// buildPrevious builds the programs of the previous release, once for all tests.
var buildPrevious = sync.OnceValue(func() error {
	repository := filepath.Join("..", "..")
	if out, err := exec.Command("git", "-C", repository, "cat-file", "-e", previousCommit+"^{commit}").CombinedOutput(); err != nil {
		return fmt.Errorf("the previous release, commit %s, is not in this repository: run `git fetch --unshallow`, "+
			"or `git fetch origin %[1]s` (%w: %s)", previousCommit, err, bytes.TrimSpace(out))
	}
	source := filepath.Join(programs, "previous-source")
	if err := os.Mkdir(source, 0o700); err != nil {
		return err
	}
	archive := filepath.Join(programs, "previous.tar")
	for _, step := range [][]string{
		{"git", "-C", repository, "archive", "--output", archive, previousCommit},
		{"tar", "-x", "-C", source, "-f", archive},
		{"go", "build", "-C", source, "-trimpath", "-buildvcs=false", "-ldflags=-s", "-o", filepath.Join(programs, string(previous)) + string(filepath.Separator), "./cmd/dispatcher", "./cmd/worker"},
	} {
		cmd := exec.Command(step[0], step[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build the previous release: %v: %w\n%s", step, err, out)
		}
	}
	return os.RemoveAll(source)
})

// needPrevious fails the test if there are no programs of the previous release.
func needPrevious(t *testing.T) {
	t.Helper()
	if err := buildPrevious(); err != nil {
		t.Fatal(err)
	}
}

// workerOf is [world.worker] with the programs of a release.
func (w *world) workerOf(r release, env ...string) *process {
	w.t.Helper()
	p := w.spawnWorkerOf(r, "127.0.0.1:0", env...)
	p.line("ready worker=")
	return p
}

// dispatcherOf is [world.dispatcher] with the programs of a release.
func (w *world) dispatcherOf(r release, env ...string) door {
	w.t.Helper()
	p := w.spawnDispatcherOf(r, "127.0.0.1:0", env...)
	return door{p, p.line("ready http=")}
}
