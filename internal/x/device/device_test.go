package device

import (
	"path/filepath"
	"testing"
)

func TestSpace(t *testing.T) {
	const mib = 1 << 20
	for name, tt := range map[string]struct {
		free, total         int64
		full, enough, tight bool
	}{
		"empty device":              {1000 * mib, 1000 * mib, false, true, false},
		"nothing left":              {0, 1000 * mib, true, false, true},
		"just full":                 {16*mib - 1, 1000 * mib, true, false, true},
		"neither full nor enough":   {17 * mib, 1000 * mib, false, false, true},
		"enough":                    {20 * mib, 1000 * mib, false, true, true},
		"small device with a tenth": {10 * mib, 100 * mib, false, true, true},
		"small device with little":  {4 * mib, 100 * mib, true, false, true},
	} {
		s := Space{Free: tt.free, Total: tt.total}
		if s.Full() != tt.full || s.Enough() != tt.enough || s.Tight() != tt.tight {
			t.Errorf("%s: full %v, enough %v, tight %v; want %v, %v, %v", name, s.Full(), s.Enough(), s.Tight(), tt.full, tt.enough, tt.tight)
		}
	}
}

func TestOf(t *testing.T) {
	s, err := Of(t.TempDir())
	if err != nil || s.Total <= 0 || s.Free < 0 || s.Free > s.Total {
		t.Errorf("Of = %+v, %v, want a size and no more free than that", s, err)
	}
	if _, err := Of(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("Of a missing directory has no error")
	}
}
