package identity

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

const (
	maxAnswer = 1 << 20 // bytes of one answer of an issuer
	maxKeys   = 100
	minRSA    = 2048 // bits
)

// keySet are the public keys of an issuer.
type keySet []jose.JSONWebKey

// named returns the keys with that ID. For a token without a key ID it returns each
// key.
func (s keySet) named(id string) keySet {
	if id == "" {
		return s
	}
	var found keySet
	for _, k := range s {
		if k.KeyID == id {
			found = append(found, k)
		}
	}
	return found
}

// fetch reads the issuer's metadata, then its keys.
func (i *issuer) fetch(ctx context.Context) (keySet, error) {
	var about struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := i.get(ctx, strings.TrimSuffix(i.url, "/")+"/.well-known/openid-configuration", &about); err != nil {
		return nil, err
	}
	if about.Issuer != i.url {
		return nil, fmt.Errorf("it calls itself %.200q; set auth.issuer to exactly that if it is the right one", about.Issuer)
	}
	if strings.HasPrefix(i.url, "https://") && !strings.HasPrefix(about.Keys, "https://") {
		return nil, fmt.Errorf("its keys are at %.200q, not at an https:// URL", about.Keys)
	}
	var answer struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := i.get(ctx, about.Keys, &answer); err != nil {
		return nil, err
	}
	return readKeySet(answer.Keys)
}

func (i *issuer) get(ctx context.Context, url string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := i.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(body) > maxAnswer {
		return fmt.Errorf("%s answers more than %d bytes", url, maxAnswer)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s does not answer the JSON that is asked for: %w", url, err)
	}
	return nil
}

// readKeySet parses the keys for checking signatures and ignores unknown keys, as RFC
// 7517 requires.
func readKeySet(raw []json.RawMessage) (keySet, error) {
	if len(raw) > maxKeys {
		return nil, fmt.Errorf("it has %d keys; at most %d are read", len(raw), maxKeys)
	}
	var set keySet
	for _, text := range raw {
		var k jose.JSONWebKey
		if json.Unmarshal(text, &k) == nil && usable(k) {
			set = append(set, k)
		}
	}
	if len(set) == 0 {
		return nil, errors.New("it has no public key for RS256, PS256, ES256 or EdDSA")
	}
	return set, nil
}

func usable(k jose.JSONWebKey) bool {
	if k.Use != "" && k.Use != "sig" {
		return false
	}
	switch pub := k.Key.(type) {
	case *rsa.PublicKey:
		return pub.N.BitLen() >= minRSA
	case *ecdsa.PublicKey:
		return pub.Curve == elliptic.P256()
	case ed25519.PublicKey:
		return true
	}
	return false // above all: no symmetric key
}
