package callback

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/identity/vault"
)

// sealedService is the service in the place of encrypted headers. No service can have this
// name.
const sealedService = "~callback"

// place binds encrypted headers to their callback.
func place(k callbacks.Key) vault.Place {
	return vault.Place{Tenant: k.Tenant, User: k.CallID, Service: sealedService, Label: k.Receiver}
}

// seal encrypts headers. They can be decrypted only for the same callback and URL.
func seal(ctx context.Context, keys vault.Wrapper, k callbacks.Key, url string, headers map[string]string) ([]byte, error) {
	if len(headers) == 0 {
		return nil, nil
	}
	sealed, err := vault.Seal(ctx, keys, place(k), []byte(url), headers)
	if err != nil {
		return nil, fmt.Errorf("headers of a callback not encrypted: %w", err)
	}
	return json.Marshal(sealed)
}

// unseal returns the headers of a stored callback.
func unseal(ctx context.Context, keys vault.Wrapper, k callbacks.Key, c *callbacks.Callback) (map[string]string, error) {
	if len(c.Headers) == 0 {
		return nil, nil
	}
	var sealed vault.Sealed
	if err := json.Unmarshal(c.Headers, &sealed); err != nil {
		return nil, vault.ErrDamaged
	}
	return vault.Unseal(ctx, keys, place(k), []byte(c.URL), sealed)
}
