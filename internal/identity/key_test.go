package identity

import (
	"strings"
	"testing"
)

func TestNewKey(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		key, id, text := NewKey()
		gotID, secret, ok := splitKey(key)
		if !ok || gotID != id || len(secret) != 52 || seen[id] || seen[secret] {
			t.Fatalf("NewKey = %q, %q: splits into %q, %q, %v; want a new id and 256 bits", key, id, gotID, secret, ok)
		}
		seen[id], seen[secret] = true, true
		if h, ok := parseHash(text); !ok || !h.equal(hashOf(secret)) || strings.Contains(text, secret) {
			t.Fatalf("the hash %q is not that of the secret", text)
		}
	}
}

func TestSplitKey(t *testing.T) {
	t.Parallel()
	key, _, _ := NewKey()
	for _, bad := range []string{
		"", "hk_", key[1:], key[:len(key)-1], key + "a", " " + key, key + "\n", strings.ToUpper(key), key + key,
		"hk_" + strings.Repeat("a", 12) + "_short", "hk_short_" + strings.Repeat("a", 52), strings.ReplaceAll(key, "_", "-"),
	} {
		if id, _, ok := splitKey(bad); ok {
			t.Errorf("splitKey(%q) takes it, with the id %q", bad, id)
		}
	}
}

func TestParseHash(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("0a", 32)
	for text, want := range map[string]bool{
		"sha256:" + hex: true, hex: false, "sha256:": false, "": false, "sha256:" + hex[1:]: false, "sha256:" + hex + "00": false,
		"sha512:" + hex: false, "sha256:" + hex[2:] + "zz": false,
	} {
		if _, ok := parseHash(text); ok != want {
			t.Errorf("parseHash(%q) is taken: %v, want %v", text, ok, want)
		}
	}
}
