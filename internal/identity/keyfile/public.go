package keyfile

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// PublicPEM returns the keys as PEM blocks (PKIX), one after the other.
func PublicPEM(keys ...ed25519.PublicKey) []byte {
	var text bytes.Buffer
	for _, key := range keys {
		der, err := x509.MarshalPKIXPublicKey(key)
		if err == nil {
			err = pem.Encode(&text, &pem.Block{Type: "PUBLIC KEY", Bytes: der})
		}
		if err != nil {
			panic("keyfile: an Ed25519 key and a buffer cannot fail: " + err.Error())
		}
	}
	return text.Bytes()
}

// ParsePublicPEM returns the keys of PEM blocks as [PublicPEM] writes them, at least
// one. Text around the blocks is ignored; a block that is damaged or not an Ed25519
// public key is an error, so that no key is silently omitted.
func ParsePublicPEM(text []byte) ([]ed25519.PublicKey, error) {
	var keys []ed25519.PublicKey
	begun := bytes.Count(text, []byte("-----BEGIN"))
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "PUBLIC KEY" {
			return nil, fmt.Errorf("the file holds a %s; give one with PUBLIC KEY blocks only", block.Type)
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := parsed.(ed25519.PublicKey)
		if err != nil || !ok {
			return nil, fmt.Errorf("public key %d is damaged or not an Ed25519 key", len(keys)+1)
		}
		keys = append(keys, key)
	}
	switch {
	case begun == 0:
		return nil, errors.New("the text holds no PUBLIC KEY block")
	case len(keys) < begun:
		return nil, errors.New("a PUBLIC KEY block is cut or damaged")
	}
	return keys, nil
}
