package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold returns the text without what does not make a memory another one: case, the
// amount of white space, and punctuation at the ends.
func fold(content string) string {
	folded := strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(content)), " "))
	bare := strings.TrimFunc(folded, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	if bare == "" { // punctuation alone
		return folded
	}
	return bare
}

// keyOf returns a short text that is equal for contents of the same folded form.
func keyOf(content string) string {
	sum := sha256.Sum256([]byte(fold(content)))
	return hex.EncodeToString(sum[:16])
}
