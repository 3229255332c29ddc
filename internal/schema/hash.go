package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Hash returns "sha256:" and the hex digest of the arguments as a caller sent
// them, in RFC 8785 canonical JSON: what tells apart two calls with one
// call_id, and what an audit record holds in place of the arguments.
func Hash(args []byte) (string, error) {
	object, err := Arguments(args)
	if err != nil {
		return "", err
	}
	canonical := jsontext.Value(bytes.Clone(object))
	if err := canonical.Canonicalize(); err != nil {
		return "", fmt.Errorf("not canonical JSON: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
