package identity

import (
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	for addr, loopback := range map[string]bool{
		"127.0.0.1:8080":          true,
		"127.8.9.10:0":            true,
		"[::1]:8080":              true,
		"[::ffff:127.0.0.1]:8080": true,
		"localhost:8080":          true,
		":8080":                   false,
		"0.0.0.0:8080":            false,
		"[::]:8080":               false,
		"10.0.0.1:8080":           false,
		"[::ffff:10.0.0.1]:8080":  false,
		"[fe80::1%lo]:8080":       false,
		"192.0.2.1:8080":          false,
		"no-such-host.invalid:80": false,
	} {
		err := Guard(addr, false)
		if (err == nil) != loopback {
			t.Errorf("Guard(%q, off) = %v, want loopback %v", addr, err, loopback)
		}
		if err != nil &&
			(!strings.Contains(err.Error(), "auth.keys_file") || !strings.Contains(err.Error(), "auth.issuer") ||
				!strings.Contains(err.Error(), "127.0.0.1")) {
			t.Errorf("Guard(%q, off) does not say what to configure: %v", addr, err)
		}
		if err := Guard(addr, true); err != nil {
			t.Errorf("Guard(%q, on) = %v", addr, err)
		}
	}
	for _, addr := range []string{"", "127.0.0.1", "::1:80:90"} {
		if err := Guard(addr, true); err == nil {
			t.Errorf("Guard(%q, on) takes what is no address", addr)
		}
	}
}
