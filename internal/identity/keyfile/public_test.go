package keyfile

import (
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
)

func publicKey(seed byte) ed25519.PublicKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), 32))).Public().(ed25519.PublicKey)
}

func TestPublicPEM(t *testing.T) {
	t.Parallel()
	want := []ed25519.PublicKey{publicKey('a'), publicKey('b'), publicKey('a')}
	text := PublicPEM(want...)
	for _, text := range []string{
		string(text), "key of monday\n" + string(text) + "\nthe end\n", strings.ReplaceAll(string(text), "\n", "\r\n"),
	} {
		got, err := ParsePublicPEM([]byte(text))
		if err != nil || len(got) != len(want) {
			t.Fatalf("ParsePublicPEM = %d keys, %v, want %d", len(got), err, len(want))
		}
		for i := range want {
			if !got[i].Equal(want[i]) {
				t.Errorf("key %d is another one", i)
			}
		}
	}
	if text := PublicPEM(); len(text) != 0 {
		t.Errorf("PublicPEM() = %q, want nothing", text)
	}
}

func TestParsePublicPEMRefuses(t *testing.T) {
	t.Parallel()
	one := string(PublicPEM(publicKey('a')))
	der, err := x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 2047), E: 65537})
	if err != nil {
		t.Fatal(err)
	}
	private := block(t, "PRIVATE KEY", ed25519.NewKeyFromSeed(make([]byte, 32)))
	for what, tt := range map[string]struct{ text, want string }{
		"nothing":      {"", "no PUBLIC KEY"},
		"text":         {"hello", "no PUBLIC KEY"},
		"a cut block":  {one[:len(one)-10], "cut or damaged"},
		"a second cut": {one + one[:len(one)-30], "cut or damaged"},
		"a first cut":  {one[:50] + "\n" + one, "cut or damaged"},
		"a short key":  {string(PublicPEM(publicKey('a')[:31])), "public key 1 is damaged"},
		"another type": {
			one + string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), "public key 2 is damaged or not an Ed25519",
		},
		"a private key": {one + private, "holds a PRIVATE KEY"},
	} {
		keys, err := ParsePublicPEM([]byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || keys != nil {
			t.Errorf("%s: ParsePublicPEM = %d keys, %v, want an error with %q", what, len(keys), err, tt.want)
		}
	}
}
