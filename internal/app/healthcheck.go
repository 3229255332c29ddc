package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// healthTimeout is longer than /readyz takes.
const healthTimeout = 5 * time.Second

// healthcheck requests url, as the health check of a container without other programs. It
// returns an error with the answer unless the status is 200.
func healthcheck(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("--healthcheck: %w; want a URL such as http://127.0.0.1:9090/readyz", err)
	}
	direct := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a proxy is not for loopback
	res, err := direct.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		return nil
	}
	const most = 4096 // what an engine shows
	body, err := io.ReadAll(io.LimitReader(res.Body, most))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %s", res.Status, body)
}
