package text

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"time"

	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/tool"
)

type hashTextArgs struct {
	Text      string `json:"text" doc:"Text to hash, as UTF-8."`
	Algorithm string `json:"algorithm,omitempty" doc:"md5 and sha1 are for old checksums only, not for security." enum:"md5,sha1,sha256,sha512" default:"sha256"`
}

type hashedText struct {
	Input     string `json:"input" doc:"The text, its first 50 characters if it is longer."`
	Algorithm string `json:"algorithm"`
	Hash      string `json:"hash" doc:"Lower-case hexadecimal digits."`
	Length    int    `json:"length" doc:"Number of digits."`
}

var _ = tool.Add(Set, tool.Spec[hashTextArgs, hashedText]{
	Name: "hash_text",
	Description: "Compute the checksum of a text by MD5, SHA-1, SHA-256 or SHA-512, to compare or identify contents, and return it in " +
		"hexadecimal.",
	Tags:       []string{"hash", "md5", "sha", "encrypt", "digest", "checksum", "sha256"},
	Group:      "conversion",
	Errors:     []tool.Kind{},
	Example:    `{"text":"hello","algorithm":"sha256"}`,
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    5 * time.Second,
	Run:        hashText,
})

func hashText(_ context.Context, _ *tool.Call, args hashTextArgs) (hashedText, error) {
	data := []byte(args.Text)
	var sum []byte
	switch args.Algorithm {
	case "md5":
		h := md5.Sum(data)
		sum = h[:]
	case "sha1":
		h := sha1.Sum(data)
		sum = h[:]
	case "sha512":
		h := sha512.Sum512(data)
		sum = h[:]
	default:
		h := sha256.Sum256(data)
		sum = h[:]
	}
	digits := hex.EncodeToString(sum)
	return hashedText{Input: grapheme.Echo(args.Text), Algorithm: args.Algorithm, Hash: digits, Length: len(digits)}, nil
}
