package js

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"strings"

	"github.com/dop251/goja"
	"github.com/google/uuid"
)

var hashRow = row{"hash": hashText, "uuid": newUUID}

// hashText returns the hash of a text or buffer in hex, by default SHA-256.
func hashText(u use) goja.Value {
	data := u.bytes(0, "text")
	name := "sha256"
	if u.given(1) {
		name = u.text(1, "algo")
	}
	h := hasher(name)
	if h == nil {
		u.refusef("there is no algorithm %.20q; want md5, sha1, sha224, sha256, sha384 or sha512", name)
	}
	_, _ = h.Write(data) // it never fails
	return u.value(hex.EncodeToString(h.Sum(nil)))
}

// hasher accepts names in the spelling of Node.js and of WebCrypto.
func hasher(name string) hash.Hash {
	switch strings.ReplaceAll(strings.ToLower(name), "-", "") {
	case "md5":
		return md5.New()
	case "sha1":
		return sha1.New()
	case "sha224":
		return sha256.New224()
	case "sha256":
		return sha256.New()
	case "sha384":
		return sha512.New384()
	case "sha512":
		return sha512.New()
	}
	return nil
}

// newUUID returns a random UUID, version 4.
func newUUID(u use) goja.Value { return u.value(uuid.NewString()) }
