// Package expiry determines when the certificates and credentials of a process expire.
//
// It promises to read changed files again whenever it is called, so that a renewed certificate is
// seen without a restart, and to report nothing about a file that has no expiry or cannot be
// read: the part that uses the file reports that.
package expiry

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/contextfile"
)

// Files are the files with an expiry that a process uses.
type Files struct {
	files map[string]string // by purpose

	mu   sync.Mutex
	read map[string]reading // by path
}

// reading is the expiry of a file as it was read last.
type reading struct {
	size     int64
	modified time.Time
	expires  time.Time
}

// Of returns the files that a configuration names, itself or by a NATS context.
func Of(cfg config.Config) *Files {
	ca, cert, creds := cfg.NATS.TLS.CA, cfg.NATS.TLS.Cert, cfg.NATS.Creds
	if cfg.NATS.Context != "" {
		if s, err := contextfile.Read(cfg.NATS.Context); err == nil {
			ca, cert, creds = s.CA, s.Cert, s.Creds
		}
	}
	return &Files{read: map[string]reading{}, files: map[string]string{
		"nats_ca": ca, "nats_certificate": cert, "nats_credentials": creds, "api_keys": cfg.Auth.KeysFile,
	}}
}

// Read returns when each file expires, by its purpose; of several certificates or keys in
// one file, when the first does.
func (f *Files) Read() map[string]time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := map[string]time.Time{}
	for purpose, path := range f.files {
		if path == "" {
			continue
		}
		if at := f.expires(path); !at.IsZero() {
			found[purpose] = at
		}
	}
	return found
}

// expires returns the expiry of a file, which is read if it was changed.
func (f *Files) expires(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	old := f.read[path]
	if old.size == info.Size() && old.modified.Equal(info.ModTime()) {
		return old.expires
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return time.Time{}
	}
	now := reading{info.Size(), info.ModTime(), first(data)}
	f.read[path] = now
	return now.expires
}

// first returns the earliest expiry in a file, zero for none.
func first(data []byte) time.Time {
	var at time.Time
	earlier := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	rest := data
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type == "CERTIFICATE" {
			if cert, err := x509.ParseCertificate(block.Bytes); err == nil {
				earlier(cert.NotAfter)
			}
		}
	}
	earlier(userJWT(data))
	for _, t := range keys(data) {
		earlier(t)
	}
	return at
}

// userJWT returns the expiry of the JWT in a NATS credentials file, zero for none.
func userJWT(data []byte) time.Time {
	const begin, end = "-----BEGIN NATS USER JWT-----", "------END NATS USER JWT------"
	_, rest, ok := bytes.Cut(data, []byte(begin))
	token, _, ended := bytes.Cut(rest, []byte(end))
	parts := bytes.Split(bytes.TrimSpace(token), []byte("."))
	if !ok || !ended || len(parts) != 3 {
		return time.Time{}
	}
	text, err := base64.RawURLEncoding.DecodeString(string(parts[1]))
	var claims struct {
		Expires int64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(text, &claims) != nil || claims.Expires == 0 {
		return time.Time{}
	}
	return time.Unix(claims.Expires, 0)
}

// keys returns the expiries of the API keys of a key file that are still accepted.
func keys(data []byte) []time.Time {
	var file []struct {
		Expires  string `yaml:"expires"`
		Disabled bool   `yaml:"disabled"`
	}
	if yaml.Unmarshal(data, &file) != nil {
		return nil
	}
	var list []time.Time
	for _, k := range file {
		if at, err := time.Parse(time.RFC3339, k.Expires); err == nil && !k.Disabled && at.After(time.Now()) {
			list = append(list, at)
		}
	}
	return list
}
