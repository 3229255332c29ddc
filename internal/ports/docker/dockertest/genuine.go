package dockertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Env names the engine that tests may run containers on, such as
// unix:///run/docker.sock. It needs the image [Image].
const Env = "HELVE_TEST_DOCKER"

// Image is the image that tests use for every language. It holds bash, coreutils, tar,
// Python 3, Node.js and the C and C++ compilers, and any other compiler as it likes.
const Image = "helve-test"

// Genuine returns the address of a real engine that has the image, and skips the test
// where there is none.
func Genuine(t testing.TB) string {
	t.Helper()
	host := os.Getenv(Env)
	if host == "" {
		t.Log("NOT RUN on Docker: set " + Env + " to an engine that has the image " + Image + "; .ci/run starts one")
		t.Skip("without Docker")
	}
	return host
}

// Images names the image for everything that a tool runs.
func Images() map[string]string {
	images := map[string]string{}
	for _, name := range []string{"python", "node", "shell", "gcc", "rust", "go", "java", "typescript"} {
		images[name] = Image
	}
	return images
}

// other is the user of containers where the test is root, whom no container may be.
const other = 65534

// User returns the user of containers that see a [Workspace], as UID:GID; empty is the
// user that the test runs as.
func User() string {
	if os.Getuid() != 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d", other, other)
}

// Workspace returns a directory that [User] may enter and write to.
func Workspace(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if os.Getuid() != 0 {
		return dir
	}
	if err := os.Chown(dir, other, other); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
