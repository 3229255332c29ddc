package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/jsonx/canon"
)

// Hash returns "sha256:" and the hex digest of the arguments as a caller sent them, in
// canonical JSON. It distinguishes two calls with one call_id, binds approvals to
// arguments, and replaces the arguments in an audit record. The canonical form is RFC 8785
// except for numbers that a 64-bit float does not keep (see digest.number), so two
// different numbers never have the same hash.
func Hash(args []byte) (string, error) {
	if formOf(args) == canon.Canonical {
		return spell(sha256.Sum256(args)), nil
	}
	object, short, err := arguments(args)
	if err != nil {
		return "", err
	}
	return canonicalHash(object, short)
}

// canonicalHash converts an object to its canonical form and returns the hash of that.
// Short is true if a 64-bit float certainly keeps the digits of every number.
func canonicalHash(object []byte, short bool) (string, error) {
	canonical := jsontext.Value(bytes.Clone(object))
	if short {
		if err := canonical.Canonicalize(); err != nil {
			return "", fmt.Errorf("not canonical JSON: %w", err)
		}
		return spell(sha256.Sum256(canonical)), nil
	}
	// The same without changing the numbers: they are written one at a time below.
	if err := canonical.Format(jsontext.ReorderRawObjects(true)); err != nil {
		return "", fmt.Errorf("not canonical JSON: %w", err)
	}
	d := digest{sha256.New()}
	if err := d.value(canonical); err != nil {
		return "", fmt.Errorf("not canonical JSON: %w", err)
	}
	return spell([sha256.Size]byte(d.Sum(nil))), nil
}

// spell returns a digest as text.
func spell(sum [sha256.Size]byte) string {
	text := make([]byte, 0, len("sha256:")+2*len(sum))
	return string(hex.AppendEncode(append(text, "sha256:"...), sum[:]))
}
