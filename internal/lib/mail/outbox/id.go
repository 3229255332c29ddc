package outbox

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// idBytes is the length of the part of a hash that makes a Message-ID unique.
const idBytes = 16

// MessageID returns the Message-ID of the mail of a call, with angle brackets. It needs no
// account, so that a worker that finds an interrupted call can tell it.
func MessageID(tenant, callID string) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(len(tenant)) + "." + tenant + callID))
	return "<" + hex.EncodeToString(sum[:idBytes]) + "@helve.internal>"
}

// Uncertain returns how to find out whether a mail went.
func Uncertain(messageID string) string {
	return "search_emails with the query " + messageID + ", its Message-ID, finds the mail if it went"
}
