package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxSize bounds the worker without its tables for debuggers, in bytes. It had 24.8 MB at first and
// had 25.2 MB when each request to JetStream was repeated while a process starts. Since the gate
// rates durable tools by the tools that they may call, and approves for the rest of a program, it has 25.5 MB.
const maxSize = 25_600_000

// unused is what a worker without parts does not link.
var unused = []string{
	"github.com/dop251/goja", "github.com/modelcontextprotocol/go-sdk", "github.com/moby/moby", "github.com/godbus/dbus",
	"github.com/creack/pty", "google.golang.org/grpc", "github.com/nats-io/nats-server", "modernc.org/sqlite", "github.com/jackc/pgx",
	"github.com/helve-dev/helve/internal/tools/utilities",
}

func TestLinksOnlyWhatItUses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "own-worker")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, ".")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxSize {
		t.Errorf("the worker has %d bytes, want at most %d", info.Size(), maxSize)
	}
	list, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(list))
	if !slices.Contains(packages, "github.com/helve-dev/helve/worker") {
		t.Fatalf("go list names %d packages, and not the platform's", len(packages))
	}
	for _, p := range packages {
		if slices.ContainsFunc(unused, func(u string) bool { return p == u || strings.HasPrefix(p, u+"/") }) {
			t.Errorf("the worker links %s, which none of its tools uses", p)
		}
	}
}
