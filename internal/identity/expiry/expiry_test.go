package expiry

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
)

func certificate(t *testing.T, ends time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: ends}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func credentials(ends time.Time) []byte {
	claims := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d,"nats":{}}`, ends.Unix()))
	return []byte("-----BEGIN NATS USER JWT-----\ne30." + claims +
		".c2ln\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\nSUA\n------END USER NKEY SEED------\n")
}

// TestRead: each file is reported with its first expiry, and again after it was replaced.
func TestRead(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var cfg config.Config
	cfg.NATS.TLS.CA = write("ca", append(certificate(t, now.Add(9*time.Hour)), certificate(t, now.Add(2*time.Hour))...))
	cfg.NATS.TLS.Cert = write("cert", []byte("no certificate"))
	cfg.NATS.Creds = write("creds", credentials(now.Add(3*time.Hour)))
	cfg.Auth.KeysFile = write("keys",
		fmt.Appendf(nil, "- {id: a, expires: %q}\n- {id: b, expires: %q}\n- {id: c, expires: %q, disabled: true}\n- {id: d}\n",
			now.Add(5*time.Hour).Format(time.RFC3339), now.Add(-time.Hour).Format(time.RFC3339), now.Add(time.Hour).Format(time.RFC3339)))
	files := Of(cfg)
	want := map[string]time.Duration{"nats_ca": 2 * time.Hour, "nats_credentials": 3 * time.Hour, "api_keys": 5 * time.Hour}
	got := files.Read()
	for purpose, in := range want {
		if !got[purpose].Equal(now.Add(in)) {
			t.Errorf("%s expires at %v, want %v", purpose, got[purpose], now.Add(in))
		}
	}
	if len(got) != len(want) {
		t.Errorf("Read = %v, want only %v", got, want)
	}
	write("cert", certificate(t, now.Add(7*time.Hour)))
	if at := files.Read()["nats_certificate"]; !at.Equal(now.Add(7 * time.Hour)) {
		t.Errorf("the replaced certificate expires at %v, want %v", at, now.Add(7*time.Hour))
	}
	cfg.NATS.Context = write("context.json",
		fmt.Appendf(nil, `{"ca": %q, "cert": %q, "creds": %q}`, cfg.NATS.TLS.Cert, cfg.NATS.TLS.CA, cfg.NATS.Creds))
	got = Of(cfg).Read()
	for purpose, in := range map[string]time.Duration{
		"nats_ca": 7 * time.Hour, "nats_certificate": 2 * time.Hour, "nats_credentials": 3 * time.Hour,
	} {
		if !got[purpose].Equal(now.Add(in)) {
			t.Errorf("%s of the context expires at %v, want %v", purpose, got[purpose], now.Add(in))
		}
	}
	if err := os.Remove(cfg.NATS.Creds); err != nil {
		t.Fatal(err)
	}
	if at, ok := files.Read()["nats_credentials"]; ok {
		t.Errorf("a lost file expires at %v", at)
	}
}
