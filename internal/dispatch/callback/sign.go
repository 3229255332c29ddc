package callback

import (
	"crypto/ed25519"
	"encoding/base64"
	"strconv"
	"time"
)

// HeaderSignature is the header of a callback with its signature.
const HeaderSignature = "Helve-Signature"

// sign returns the value of [HeaderSignature]: the time in Unix seconds, and the signature
// of "TIME.BODY". Neither a seal nor any other text that the key signs begins with a digit.
func sign(key ed25519.PrivateKey, at time.Time, body []byte) string {
	unix := strconv.FormatInt(at.Unix(), 10)
	signed := append(append([]byte(unix), '.'), body...)
	return "t=" + unix + ",ed25519=" + base64.StdEncoding.EncodeToString(ed25519.Sign(key, signed))
}
