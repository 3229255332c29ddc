package deploytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// units are the unit files with the exposure that systemd-analyze may compute at most, in
// tenths: 0 is closed, 100 open.
var units = map[string]string{
	"helve-nats.service":       "15",
	"helve-dispatcher.service": "15",
	"helve-worker@.service":    "32",
}

// TestUnits verifies each unit, and how closed it is, with systemd's own program.
func TestUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("NOT RUN: systemd-analyze is not installed (Debian's package systemd); .ci/run installs it")
		t.Skip("without systemd-analyze")
	}
	dir, bin := t.TempDir(), t.TempDir()
	for _, program := range []string{"nats-server", "dispatcher", "worker"} {
		if err := os.Symlink("/bin/true", filepath.Join(bin, program)); err != nil {
			t.Fatal(err)
		}
	}
	for name, most := range units {
		text, err := os.ReadFile(filepath.Join("../systemd", name))
		if err != nil {
			t.Fatal(err)
		}
		unit := filepath.Join(dir, name)
		if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/", bin+"/")), 0o600); err != nil {
			t.Fatal(err)
		}
		instance := strings.Replace(unit, "@.", "@default.", 1)
		if out, err := exec.Command(analyze, "verify", "--man=no", "--generators=no", instance).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("verify %s: %v: %s", name, err, out)
		}
		if out, err := exec.Command(analyze, "security", "--offline=true", "--threshold="+most, unit).CombinedOutput(); err != nil {
			t.Errorf("security %s: %v: %s", name, err, out)
		}
	}
}
