package docker

import (
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/tool"
)

func TestGenuineExit(t *testing.T) {
	containers, d := genuine(t, Options{})
	for _, tt := range []struct {
		script string
		code   int
	}{
		{"true", 0}, {"exit 3", 3}, {"exit 125", 125}, {"kill -9 $$", killed}, {"kill -SEGV $$", 128 + 11}, {"no-such-program", 127},
	} {
		ran, err := containers.Run(t.Context(), shell(tt.script))
		if err != nil || ran.Code != tt.code || ran.TimedOut || ran.OutOfMemory || ran.Image == "" {
			t.Errorf("%q: %+v, %v, want exit code %d", tt.script, ran, err, tt.code)
		}
	}
	_, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"no-such-program"}})
	wantKind(t, err, tool.NotConfigured, "it has no program no-such-program")
	d.images["missing"] = "helve-test-missing:1"
	_, err = containers.Run(t.Context(), tool.Container{Image: "missing", Command: []string{"true"}})
	wantKind(t, err, tool.NotConfigured, "docker pull helve-test-missing:1")
	wantNoneLeft(t, d)
}

func TestGenuineTime(t *testing.T) {
	containers, d := genuine(t, Options{})
	c := shell("echo begun; trap '' TERM; sleep 600")
	c.Timeout = 2 * time.Second
	ran, err := containers.Run(t.Context(), c)
	if err != nil || !ran.TimedOut || string(ran.Stdout) != "begun\n" || ran.Code != killed {
		t.Errorf("ran %+v, %v, want a run that timed out with what it had written", ran, err)
	}
	wantNoneLeft(t, d)
}

// TestGenuineDeadline: a command ends by itself where no worker kills it.
func TestGenuineDeadline(t *testing.T) {
	containers, _ := genuine(t, Options{})
	ran, err := containers.Run(t.Context(), tool.Container{
		Image:   "shell",
		Command: entering(0, "/work", time.Second, []string{"sleep", "600"}),
		Timeout: time.Minute,
	})
	if err != nil || ran.TimedOut || ran.Code != killed {
		t.Errorf("ran %+v, %v, want a command that was killed in its container", ran, err)
	}
}

func TestGenuineFlood(t *testing.T) {
	containers, d := genuine(t, Options{})
	c := shell("yes >&2 & yes")
	c.Timeout = 5 * time.Minute
	ran, err := containers.Run(t.Context(), c)
	if err != nil || !ran.Flooded || ran.TimedOut || len(ran.Stdout) > defaultOutput || len(ran.Stderr) > defaultOutput ||
		len(ran.Stdout)+len(ran.Stderr)+int(ran.StdoutCut+ran.StderrCut) < maxTotal {
		t.Errorf("kept %d and %d, cut %d and %d, flooded %v, %v, want a killed flood",
			len(ran.Stdout), len(ran.Stderr), ran.StdoutCut, ran.StderrCut, ran.Flooded, err)
	}
	wantNoneLeft(t, d)
}

// grows is a Python program that takes ever more memory.
const grows = `
kept = []
while True:
    kept.append(bytearray(1 << 20))
    print(len(kept), flush=True)
`

func TestGenuineMemory(t *testing.T) {
	containers, d := genuine(t, Options{})
	// Podman with cgroups v1 does not report what the kernel did.
	version, err := d.engine.ServerVersion(t.Context(), client.ServerVersionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	silent := version.Components[0].Name == "Podman Engine"
	ran, err := containers.Run(t.Context(), tool.Container{
		Image:   "python",
		Command: []string{"python3", "-c", grows},
		Timeout: 5 * time.Minute,
	})
	if lines := strings.Count(string(ran.Stdout), "\n"); err != nil || ran.OutOfMemory == silent || ran.Code != killed || lines > memory>>20 ||
		lines < memory>>21 {
		t.Errorf("took %d MB, %+v, %v, want a kill at %d MB", lines, ran, err, memory>>20)
	}
	// A process beside the first one counts as well, and so does what is written to /work.
	c := shell(`python3 -c 'x = bytearray(700 << 20)'; echo "child $?"`)
	ran, err = containers.Run(t.Context(), c)
	if err != nil || ran.OutOfMemory == silent || string(ran.Stdout) != "child 137\n" {
		t.Errorf("a child: %+v, %v, want that it was killed", ran, err)
	}
	wantNoneLeft(t, d)
}

func TestGenuineDisk(t *testing.T) {
	containers, d := genuine(t, Options{})
	for dir, bytes := range map[string]string{"/work": "268435456", "/tmp": "134217728", "/dev/shm": "16777216"} {
		ran, err := containers.Run(t.Context(), shell("head -c 1G /dev/zero >"+dir+"/full; stat -c %s "+dir+"/full"))
		if err != nil || strings.TrimSpace(string(ran.Stdout)) != bytes || !strings.Contains(string(ran.Stderr), "No space left on device") {
			t.Errorf("%s: %q (stderr %q), %v, want %s bytes and no space for more", dir, ran.Stdout, ran.Stderr, err, bytes)
		}
	}
	for _, dir := range []string{"/", "/etc", "/usr", "/dev", "/sys", "/proc", "/var/lib"} {
		ran, err := containers.Run(t.Context(), shell("touch "+dir+"/x"))
		if err != nil || ran.Code == 0 {
			t.Errorf("%s: exit code %d, %v, want that nothing can be written there", dir, ran.Code, err)
		}
	}
	wantNoneLeft(t, d)
}

func TestGenuineProcesses(t *testing.T) {
	containers, d := genuine(t, Options{})
	ran, err := containers.Run(t.Context(), shell("for i in $(seq 300); do sleep 600 & done; echo all"))
	if err != nil || ran.Code == 0 || !strings.Contains(string(ran.Stderr), "Cannot fork") {
		t.Errorf("300 processes: %+v, %v, want that they are refused", ran, err)
	}
	bomb := tool.Container{Image: "shell", Timeout: 3 * time.Second, Command: []string{"bash", "-c", ":(){ :|:& };: ; sleep 600"}}
	if ran, err = containers.Run(t.Context(), bomb); err != nil || ran.Code == 0 {
		t.Errorf("a fork bomb: %+v, %v, want a failed run", ran, err)
	}
	if ran, err = containers.Run(t.Context(), shell("echo fine")); err != nil || string(ran.Stdout) != "fine\n" {
		t.Errorf("after it: %+v, %v", ran, err)
	}
	wantNoneLeft(t, d)
}
