package push

import (
	"crypto/ecdh"
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

const (
	// maxEndpoint bounds the address of a device, in bytes. Those of the push services of 2026 have up
	// to 700.
	maxEndpoint = 2 << 10
	// authSize is the size of the authentication secret of a device, in bytes (RFC 8291, 3.2).
	authSize = 16
)

// checked returns the device of a subscription, with its keys in the one form in which they
// are stored. Whether the address is a public one is checked whenever it is dialed.
func checked(s protocol.PushSubscription) (device, error) {
	u, err := url.Parse(s.Endpoint)
	switch {
	case len(s.Endpoint) > maxEndpoint:
		return device{}, api.BadRequest("endpoint is longer than %d bytes", maxEndpoint)
	case err != nil, u.Scheme != "https", u.Hostname() == "", u.User != nil, u.Fragment != "":
		return device{}, api.BadRequest("endpoint must be an address of a push service that begins with https://, as the browser returns it")
	}
	public, ok := decoded(s.Keys.P256dh)
	if _, err := ecdh.P256().NewPublicKey(public); !ok || err != nil {
		return device{}, api.BadRequest("keys.p256dh must be the device's public key in base64url, as the browser returns it")
	}
	auth, ok := decoded(s.Keys.Auth)
	if !ok || len(auth) != authSize {
		return device{}, api.BadRequest("keys.auth must be the device's secret of %d bytes in base64url, as the browser returns it", authSize)
	}
	return device{
		Endpoint: s.Endpoint,
		P256dh:   base64.RawURLEncoding.EncodeToString(public),
		Auth:     base64.RawURLEncoding.EncodeToString(auth),
	}, nil
}

// decoded returns the bytes of a text in base64url, with or without padding.
func decoded(text string) ([]byte, bool) {
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	return data, err == nil
}
