package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/cli"
)

// TestUpStartsDrainedWorkers: a worker that an operator drains is started again, and the
// process is as ready as before.
func TestUpStartsDrainedWorkers(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	printed, code := make(lines, 8), make(chan int, 1)
	args := []string{"up", "--data", t.TempDir(), "--http", "127.0.0.1:0", "--nats", "127.0.0.1:0", "--log-level", "warn"}
	go func() {
		code <- cli.Run(ctx, args, strings.NewReader(""), printed, io.Discard, upCommand(nil))
	}()
	defer func() {
		stop()
		if got := <-code; got != 0 {
			t.Errorf("up exited %d after its drain, want 0", got)
		}
	}()
	web := strings.TrimPrefix(strings.Fields(<-printed)[1], "http=")
	c, err := client.New(web)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before, err := c.BriefWorkers(t.Context())
	if err != nil || len(before) != 1 {
		t.Fatalf("workers = %+v, %v", before, err)
	}
	slots := page(t, web+"/metrics")
	var out, errs bytes.Buffer
	if got := cli.Run(t.Context(), []string{"workers", "drain", before[0].ID, "--server", web}, strings.NewReader(""), &out, &errs); got != 0 {
		t.Fatalf("helve workers drain = %d, %s", got, errs.String())
	}
	end := time.Now().Add(time.Minute)
	for again := before; len(again) != 1 || again[0].ID == before[0].ID; <-time.After(50 * time.Millisecond) {
		if again, err = c.BriefWorkers(t.Context()); err != nil || time.Now().After(end) {
			t.Fatalf("workers after the drain = %+v, %v", again, err)
		}
	}
	eventually(t, "ready with another worker", func() bool {
		ready := page(t, web+"/readyz")
		return strings.Contains(ready, `"status":"ready"`) && !strings.Contains(ready, before[0].ID)
	})
	free := func(metrics string) (lines []string) {
		for line := range strings.Lines(metrics) {
			if strings.HasPrefix(line, "helve_worker_slots{") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	eventually(t, "as many slots as before the drain", func() bool { return slices.Equal(free(slots), free(page(t, web+"/metrics"))) })
}
