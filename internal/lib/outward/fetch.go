package outward

import (
	"context"
	"net/http"
	"net/url"

	"github.com/helve-dev/helve/tool"
)

// Fetch downloads a file that an answer of the service refers to, of at most the given
// number of bytes. It sends no credentials. The host of the entry may be internal as for
// other requests, and no other host.
func (c *Client) Fetch(ctx context.Context, address string, most int) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, c.Senseless("it refers to something that is not an http or https address")
	}
	ctx = c.Reach(ctx)
	resp, err := Retry(ctx, c.call.Clock, func() (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
		if err != nil {
			return nil, tool.Fail(tool.Internal, "the request to %s cannot be made", u.Host).Because(err)
		}
		req.Header.Set("User-Agent", "Helve")
		return c.call.HTTP.Do(req)
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	if resp.StatusCode != http.StatusOK {
		return nil, tool.Fail(tool.NetworkError, "the file that %s made could not be fetched from %s: status %d",
			c.base.Host, u.Host, resp.StatusCode)
	}
	return read(ctx, resp.Body, u.Host, most)
}
