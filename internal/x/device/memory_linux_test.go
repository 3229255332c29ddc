package device

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMemory(t *testing.T) {
	if got := Memory(); got < 64<<20 {
		t.Errorf("Memory() = %d, want that of a machine", got)
	}
}

// TestLimits finds the least limit of the control groups around a process.
func TestLimits(t *testing.T) {
	root := t.TempDir()
	for dir, limit := range map[string]string{"": "max\n", "a": "1000\n", "a/b": "3000\n", "other": "1\n"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, "memory.max"), []byte(limit), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		group string
		total int64
		want  int64
	}{
		"inner":      {"0::/a/b\n", 5000, 1000},
		"none":       {"0::/c\n", 5000, 5000},
		"root":       {"0::/\n", 5000, 5000},
		"version 1":  {"4:memory:/a\n", 5000, 5000},
		"not known":  {"0::/a\n", 0, 1000},
		"below both": {"0::/a\n", 500, 500},
	} {
		if got := least(tt.total, limits(root, tt.group)...); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
