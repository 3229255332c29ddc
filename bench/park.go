package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/helve-dev/helve/client"
)

// parkAtOnce is the number of concurrent requests of perUser calls.
const parkAtOnce = 16

// waitingCall is a parked call.
type waitingCall struct{ call, consent, user string }

// park makes total calls that need approval, perUser of each user, and returns when all
// of them wait.
func park(ctx context.Context, url string, total int, s *Sheet) ([]waitingCall, error) {
	began := time.Now()
	c, err := client.New(url)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	all := make([]waitingCall, total)
	var requests sync.WaitGroup
	room := make(chan struct{}, parkAtOnce)
	for from := 0; from < total && ctx.Err() == nil; from += perUser {
		room <- struct{}{}
		part, user := all[from:min(from+perUser, total)], fmt.Sprintf("u%d", from/perUser)
		requests.Go(func() {
			defer func() { <-room }()
			if err := parkFor(ctx, c, user, part); err != nil {
				stop(err)
			}
		})
	}
	requests.Wait()
	s.put("parked", float64(total), fmt.Sprintf("calls parked, %d of each user", min(total, perUser)))
	s.put("park_calls_per_s", float64(total)/time.Since(began).Seconds(), "calls parked a second, from the caller's side")
	return all, context.Cause(ctx)
}

// parkTimeout is the time that a request waits until its calls are parked.
const parkTimeout = 2 * time.Minute

func parkFor(ctx context.Context, c *client.Client, user string, into []waitingCall) error {
	calls := make([]client.Call, len(into))
	for i := range calls {
		calls[i] = client.Call{Tool: "debug.guarded", Arguments: json.RawMessage(fmt.Sprintf(`{"key":"k%d"}`, i))}
	}
	resp, err := c.Execute(ctx, client.Request{Context: client.Context{User: user}, Calls: calls, Wait: parkTimeout})
	if err != nil {
		return err
	}
	if len(resp.Results) != len(into) {
		return fmt.Errorf("%d calls were answered with %d results", len(into), len(resp.Results))
	}
	for i := range into {
		r := &resp.Results[i]
		if r.State != client.StateAwaitingConsent || r.ConsentID == "" {
			return fmt.Errorf("a call was not parked: %s %s %s: %w", r.Status, r.State, r.Message, r.Err())
		}
		into[i] = waitingCall{r.CallID, r.ConsentID, user}
	}
	return nil
}

// countLedger counts the calls that the tool itself recorded, and fails if one ran
// twice.
func countLedger(data string) (int, error) {
	files, err := filepath.Glob(filepath.Join(data, "workspaces", "*", "*", "ledger.txt"))
	if err != nil {
		return 0, err
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line) // key, call, time
			if len(words) != 3 {
				return 0, errors.New("the ledger has a line that is not the tool's")
			}
			if seen[words[1]] {
				return 0, fmt.Errorf("call %s ran twice", words[1])
			}
			seen[words[1]] = true
		}
	}
	return len(seen), nil
}
