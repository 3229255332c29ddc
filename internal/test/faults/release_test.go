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
// those of this one. It is the commit that the tag v0.1.0 names. A release sets it to the commit of
// the one before, and internal/bus/queue/testdata/previous to what that commit writes.
const previousCommit = "116f15ec75c74e310f8650ad06ad0b5a698a796f"

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

func repository() string { return filepath.Join("..", "..", "..") }

// TestPreviousReleaseIsKnown checks that a complete clone has the commit that `.ci/run upgrade`
// builds: a history that is rewritten loses it.
func TestPreviousReleaseIsKnown(t *testing.T) {
	shallow, err := git("rev-parse", "--is-shallow-repository")
	switch {
	case err != nil:
		t.Skipf("THE COMMIT OF THE PREVIOUS RELEASE IS NOT CHECKED: these sources are no Git repository: %v", err)
	case shallow == "true":
		t.Skip("THE COMMIT OF THE PREVIOUS RELEASE IS NOT CHECKED: this clone is shallow; run `git fetch --unshallow`")
	}
	if err := knowPrevious(); err != nil {
		t.Fatal(err)
	}
}

// knowPrevious returns an error if the previous release is not part of the history of this one.
func knowPrevious() error {
	if _, err := git("merge-base", "--is-ancestor", previousCommit, "HEAD"); err != nil {
		return fmt.Errorf("the previous release, commit %s, is not in the history: in a shallow clone run `git fetch --unshallow`; "+
			"if the history was rewritten, set previousCommit in release_test.go (%w)", previousCommit, err)
	}
	return nil
}

// git runs git in this repository and returns what it wrote.
func git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", repository()}, args...)...).CombinedOutput()
	text := string(bytes.TrimSpace(out))
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, text)
	}
	return text, nil
}

// buildPrevious builds the programs of the previous release, once for all tests.
var buildPrevious = sync.OnceValue(func() error {
	if err := knowPrevious(); err != nil {
		return err
	}
	source := filepath.Join(programs, "previous-source")
	if err := os.Mkdir(source, 0o700); err != nil {
		return err
	}
	archive := filepath.Join(programs, "previous.tar")
	for _, step := range [][]string{
		{"git", "-C", repository(), "archive", "--output", archive, previousCommit},
		{"tar", "-x", "-C", source, "-f", archive},
		{
			"go", "build", "-C", source, "-trimpath", "-buildvcs=false", "-ldflags=-s", "-o",
			filepath.Join(programs, string(previous)) + string(filepath.Separator), "./cmd/dispatcher", "./cmd/worker",
		},
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
	return door{process: p, url: p.line("ready http=")}
}
