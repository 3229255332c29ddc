package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// source is a commit of Helve's sources.
type source struct {
	dir, revision string
	// version is the tag of the images, and what the programs report.
	version string
	// time is that of the commit, and of every file in the images.
	time time.Time
}

// checkout checks out the commit of dir below work. Go records the commit only in programs
// from a clone without changes, and helve-child is used only beside a program of its commit.
func checkout(dir, work, version string, stderr io.Writer) (*source, error) {
	s := &source{dir: dir}
	changes, err := s.git("status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return nil, fmt.Errorf("%w; build from a clone of the repository", err)
	}
	if changes != "" {
		fmt.Fprintln(stderr, "images are built from the last commit: changes that are not committed are not in them")
	}
	clone := filepath.Join(work, "source")
	top, err := s.git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if _, err := s.git("clone", "--quiet", "--shared", top, clone); err != nil {
		return nil, err
	}
	s.dir = clone
	log, err := s.git("log", "-1", "--format=%H %ct")
	if err != nil {
		return nil, err
	}
	revision, seconds, _ := strings.Cut(log, " ")
	s.revision = revision
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, err
	}
	s.time = time.Unix(unix, 0).UTC()
	described, err := s.git("describe", "--tags", "--always")
	if err != nil {
		return nil, err
	}
	s.version = cmp.Or(version, described)
	return s, nil
}

func (s *source) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", s.dir}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(errs.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// build builds commands for a platform, with the commit in each.
func (s *source) build(out string, platform *v1.Platform, commands []string, stderr io.Writer) error {
	flags := "-s -w -X github.com/helve-dev/helve/internal/x/version.release=" + s.version
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	args := []string{"build", "-trimpath", "-buildvcs=true", "-ldflags", flags, "-o", out + string(filepath.Separator)}
	for _, c := range commands {
		args = append(args, "./cmd/"+c)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = s.dir, stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Architecture, "GOFLAGS=", "GOWORK=off")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build for %s: %w", platform, err)
	}
	return nil
}
