package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// largestResult bounds the size of one result in memory, in bytes.
const largestResult = 1 << 30

// fetchAll fetches the large results among results and returns the errors.
func (c *Client) fetchAll(ctx context.Context, results []Result) error {
	var errs []error
	for i := range results {
		errs = append(errs, c.fetch(ctx, &results[i]))
	}
	return errors.Join(errs...)
}

// fetch sets the Value that r refers to, if it is a reference.
func (c *Client) fetch(ctx context.Context, r *Result) error {
	if r.Ref == nil || len(r.Value) > 0 {
		return nil
	}
	if r.Ref.Size < 0 || r.Ref.Size > largestResult {
		return fmt.Errorf("the result of call %s has %d bytes, more than the %d a client reads: open object %s of bucket %s",
			r.CallID, r.Ref.Size, int64(largestResult), r.Ref.Object, resultsBucket)
	}
	for attempt := 0; ; attempt++ {
		value, err := c.fetchOnce(ctx, r)
		if err == nil {
			r.Value = value
			return nil
		}
		if !c.retry || !retryable(err) {
			return fmt.Errorf("fetch the result of call %s: %w", r.CallID, err)
		}
		if !pause(ctx, attempt, retryAfter(err)) {
			return stopped(ctx, err)
		}
	}
}

func (c *Client) fetchOnce(ctx context.Context, r *Result) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTimeout, c.via.silence())
	defer cancel()
	value, err := c.via.fetch(ctx, r.CallID, r.Ref, r.Ref.Size)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(value)
	if int64(len(value)) != r.Ref.Size || !strings.EqualFold(hex.EncodeToString(sum[:]), r.Ref.SHA256) {
		return nil, fmt.Errorf("its %d bytes are not the %d announced, or their hash is another: the stored result is damaged",
			len(value), r.Ref.Size)
	}
	return value, nil
}
