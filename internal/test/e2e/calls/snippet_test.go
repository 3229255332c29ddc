package calls

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strconv"
	"strings"
	"time"
)

// verified reports whether a body was sent by the Helve with these public keys (PEM) in the
// last five minutes. Signature is the header Helve-Signature.
func verified(keys []byte, signature string, body []byte) bool {
	at, sum, _ := strings.Cut(strings.TrimPrefix(signature, "t="), ",ed25519=")
	unix, err := strconv.ParseInt(at, 10, 64)
	raw, err2 := base64.StdEncoding.DecodeString(sum)
	if err != nil || err2 != nil || time.Since(time.Unix(unix, 0)).Abs() > 5*time.Minute {
		return false
	}
	signed := append([]byte(at+"."), body...)
	for block, rest := pem.Decode(keys); block != nil; block, rest = pem.Decode(rest) {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if public, ok := key.(ed25519.PublicKey); err == nil && ok && ed25519.Verify(public, signed, raw) {
			return true
		}
	}
	return false
}
