package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/helve-dev/helve/client"
)

const (
	// recoveryQueued is the number of calls that wait when the broker is killed.
	recoveryQueued = 1_000_000
	// recoveryCopies is the number of servers and copies of the replicated measurement.
	recoveryCopies = 3
	// dispatcherCallers is the number of callers that continue while a dispatcher is killed.
	dispatcherCallers = 8
	// recoveryTimeout limits the time until calls are accepted again.
	recoveryTimeout = 2 * time.Minute
)

// recovery measures the time until calls go on after the loss of one process, and the rate
// with three copies of each stream beside the rate with one copy, each on processes of its
// own.
func recovery(ctx context.Context, f *fleet, s *Sheet) error {
	for _, m := range []struct {
		servers int
		run     func(ctx context.Context, f *fleet, s *Sheet) error
	}{
		{1, workerKilled}, {1, dispatcherKilled}, {1, brokerKilled}, {1, rateOf("r1_rate")}, {recoveryCopies, rateOf("r3_rate")},
	} {
		opts := f.opts
		opts.Nodes = m.servers
		part, err := newFleet(ctx, opts)
		if err != nil {
			return err
		}
		if err := errors.Join(m.run(ctx, part, s), part.close()); err != nil {
			return err
		}
	}
	n := len(s.Figures)
	s.put("r3_of_r1", s.Figures[n-1].Value/s.Figures[n-2].Value, "rate with three copies of each stream, of that with one")
	return nil
}

func workerKilled(ctx context.Context, f *fleet, s *Sheet) error {
	took, _, _, err := killAmong(ctx, f)
	s.put("worker_killed_s", took.Seconds(), "until a call of 0.5 s whose worker was killed is done by another worker")
	return err
}

// dispatcherKilled kills one of two dispatchers while callers send calls to both. A request
// that fails is sent to the other one, with the same call_id.
func dispatcherKilled(ctx context.Context, f *fleet, s *Sheet) error {
	if _, err := f.worker(ctx); err != nil {
		return err
	}
	var doors [2]string
	var victim *node
	for i := range doors {
		n, err := f.dispatcher(ctx)
		if err != nil {
			return err
		}
		doors[i], victim = n.ready["http"], n
	}
	var callers sync.WaitGroup
	times := &crossing{}
	busy, stop := context.WithCancel(ctx)
	defer stop()
	for n := range dispatcherCallers {
		callers.Go(func() {
			for i := 0; busy.Err() == nil; i++ {
				began := time.Now()
				for try := 0; ctx.Err() == nil; try++ {
					if state, _ := ask(ctx, doors[(n+try)%2], fmt.Sprintf("r%d-%d", n, i), callTimeout); state == "success" {
						break
					}
				}
				times.note(began, time.Now(), nil)
			}
		})
	}
	wait(ctx, killWarmUp)
	victim.kill()
	times.cross(time.Now())
	wait(ctx, 2*killWarmUp)
	stop()
	callers.Wait()
	s.put("dispatcher_killed_s", max(times.across.slowest, times.after.slowest).Seconds(),
		fmt.Sprintf("the slowest of %d calls around the death of one of two dispatchers, sent again to the other",
			times.across.calls+times.after.calls))
	return ctx.Err()
}

// ask requests a call and returns its status, or the status of the response.
func ask(ctx context.Context, door, callID string, patience time.Duration) (state string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body := fmt.Appendf(nil, `{"calls":[{"call_id":%q,"tool":"debug.echo","arguments":{"value":1},"wait_for_worker":true}],"wait_ms":%d}`,
		callID, patience.Milliseconds()/2)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, door+"/v1/execute", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var got struct {
		Results []struct {
			Status string `json:"status"`
		} `json:"results"`
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
		return "", err
	}
	if len(got.Results) != 1 {
		return res.Status, nil
	}
	return got.Results[0].Status, nil
}

// brokerKilled kills the only server while calls wait, and starts it again on its data.
func brokerKilled(ctx context.Context, f *fleet, s *Sheet) error {
	total := f.calls(recoveryQueued)
	f.settings = []string{
		fmt.Sprintf("HELVE_DISPATCHER_MAX_BACKLOG=%d", 2*total+1), fmt.Sprintf("HELVE_QUOTA_TENANT=%d", 2*total),
		fmt.Sprintf("HELVE_QUOTA_USER=%d", 2*total), "HELVE_STREAMS_CALLS_MAX_BYTES=4GiB",
	}
	dispatcher, err := f.dispatcher(ctx)
	if err != nil {
		return err
	}
	worker, err := f.worker(ctx) // registers its tools, which remain registered
	if err != nil {
		return err
	}
	worker.stop()
	call := echoCall()
	call.WaitForWorker = true
	if err := sendTogether(ctx, f.nats, total, 4, call, client.NoWait, queued); err != nil {
		return err
	}
	f.broker().kill()
	f.broker().stop()
	began := time.Now()
	broker, err := f.start(ctx, roleBroker, filepath.Join(f.dir, "nats"), f.nats[len("nats://"):])
	if err != nil {
		return err
	}
	ready := time.Since(began)
	for try := 0; ; try++ {
		if state, _ := ask(ctx, dispatcher.ready["http"], fmt.Sprintf("after-%d", try), time.Second); state == "pending" {
			break
		}
		if time.Since(began) > recoveryTimeout || ctx.Err() != nil {
			return fmt.Errorf("no call was accepted %v after the restart of %s", recoveryTimeout, broker.role)
		}
		wait(ctx, 10*time.Millisecond)
	}
	s.put("nats_ready_s", ready.Seconds(), fmt.Sprintf("from the restart of a single server with %d queued calls until it is ready", total))
	s.put("nats_restarted_s", time.Since(began).Seconds(), "until a dispatcher accepts a call again")
	return nil
}

// rateOf measures the rate of calls that do nothing.
func rateOf(name string) func(ctx context.Context, f *fleet, s *Sheet) error {
	return func(ctx context.Context, f *fleet, s *Sheet) error {
		if _, err := f.worker(ctx); err != nil {
			return err
		}
		if _, err := f.dispatcher(ctx); err != nil {
			return err
		}
		rate, err := callRate(ctx, f, dataCalls[0])
		s.put(name, rate, fmt.Sprintf("calls a second by %d callers, with %s copies of each stream", dataCallers, name[1:2]))
		return err
	}
}
