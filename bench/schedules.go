package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// schedulesUsual is the number of tasks that are due at one moment, schedulesPersons the
	// number of persons who have them.
	schedulesUsual   = 10_000
	schedulesPersons = 100
	// schedulesAlone is the number of tasks that are due one after the other.
	schedulesAlone   = 10
	schedulesCallers = 32
	// schedulesRate is a rate at which tasks can surely be made, in tasks a second.
	schedulesRate = 100
	// schedulesWithin bounds the wait for the runs.
	schedulesWithin = 2 * time.Minute
)

// schedules makes tasks that are due at one moment, and measures how late their calls start
// and end. A run that is missing, failed or was made twice is an error. Before that it
// measures tasks that are due alone.
func schedules(ctx context.Context, f *fleet, s *Sheet) error {
	if _, err := f.worker(ctx); err != nil {
		return err
	}
	if _, err := f.dispatcher(ctx); err != nil {
		return err
	}
	nc, err := nats.Connect(f.nats, nats.Name("helve-bench"))
	if err != nil {
		return err
	}
	defer nc.Close()
	runs, err := watchRuns(nc)
	if err != nil {
		return err
	}
	n := f.calls(schedulesUsual)
	alone := min(schedulesAlone, n)
	begin := time.Now().Add(3 * time.Second).Truncate(time.Second)
	for i := range alone {
		if err := makeTask(nc, i, begin.Add(time.Duration(i)*time.Second)); err != nil {
			return err
		}
	}
	late, err := runs.await(ctx, alone)
	if err != nil {
		return err
	}
	s.put("alone_late_ms", millis(late.first(1)), fmt.Sprintf("the latest start of %d tasks that were due alone, after their times", alone))

	due := time.Now().Add(time.Duration(n/schedulesRate)*time.Second + 5*time.Second).Truncate(time.Second)
	began := time.Now()
	if err := makeTasks(nc, n, due); err != nil {
		return err
	}
	made := time.Since(began)
	if time.Now().After(due) {
		return fmt.Errorf("the machine is too slow: %d tasks took %v to make", n, made)
	}
	s.put("make_rate", float64(n)/made.Seconds(), fmt.Sprintf("tasks made a second by %d callers", schedulesCallers))
	if late, err = runs.await(ctx, alone+n); err != nil {
		return err
	}
	s.put("tasks", float64(n), fmt.Sprintf("tasks of %d persons that were due at one moment", schedulesPersons))
	s.put("start_p50_ms", millis(late.first(0.5)), "how late the call of half of them started at most")
	s.put("start_last_ms", millis(late.first(1)), "how late the last call started")
	s.put("end_last_ms", millis(late.last()), "how late the last call ended")
	return checkRuns(ctx, nc, alone+n)
}

// makeTasks makes tasks of many persons that are due at one time.
func makeTasks(nc *nats.Conn, n int, due time.Time) error {
	next, failed := make(chan int), make(chan error, schedulesCallers)
	var all sync.WaitGroup
	for range schedulesCallers {
		all.Go(func() {
			for i := range next {
				if err := makeTask(nc, i, due); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	var err error
	for i := 0; i < n && err == nil; i++ {
		select {
		case next <- i:
		case err = <-failed:
		}
	}
	close(next)
	all.Wait()
	select {
	case err = <-failed:
	default:
	}
	return err
}

func makeTask(nc *nats.Conn, i int, due time.Time) error {
	return callTool(nc, fmt.Appendf(nil, `{"context":{"user":"person%d"},"calls":[{"tool":"create_scheduled_task","arguments":{"name":"bench","schedule":%q,"toolName":"debug.echo","toolArgs":{"value":1}}}]}`,
		i%schedulesPersons, due.UTC().Format(time.RFC3339)))
}

// runEvents are the events of scheduled runs.
type runEvents struct {
	mu sync.Mutex
	// started and ended are the delays of the runs that began and ended, by call.
	started, ended map[string]time.Duration
	again          error
	more           chan struct{}
}

// watchRuns notes the events of scheduled runs as they come.
func watchRuns(nc *nats.Conn) (*runEvents, error) {
	r := &runEvents{started: map[string]time.Duration{}, ended: map[string]time.Duration{}, more: make(chan struct{}, 1)}
	sub, err := nc.Subscribe("helve.v1.default.event.*.*", r.note)
	if err != nil {
		return nil, err
	}
	return r, errors.Join(sub.SetPendingLimits(-1, -1), nc.Flush())
}

func (r *runEvents) note(msg *nats.Msg) {
	now := time.Now()
	id := msg.Subject[strings.LastIndexByte(msg.Subject, '.')+1:]
	var unix int64
	if at := strings.LastIndexByte(id, '-'); !strings.HasPrefix(id, "s-") || at < 0 {
		return
	} else if _, err := fmt.Sscan(id[at+1:], &unix); err != nil {
		return
	}
	var e struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(msg.Data, &e) != nil {
		return
	}
	late := now.Sub(time.Unix(unix, 0))
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Type {
	case "started":
		if _, twice := r.started[id]; twice {
			r.again = fmt.Errorf("the run %s started twice", id)
		}
		r.started[id] = late
	case "done":
		r.ended[id] = late
	}
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// lateness holds the delays with which runs started and ended. Both are rounded in the same way,
// so that they can be compared.
type lateness struct{ starts, ends histogram }

// first returns the lateness within which a part of the runs started.
func (l *lateness) first(part float64) time.Duration {
	return time.Duration(l.starts.quantile(part) * float64(time.Microsecond))
}

// last returns the lateness within which all of the runs ended.
func (l *lateness) last() time.Duration {
	return time.Duration(l.ends.quantile(1) * float64(time.Microsecond))
}

// await waits until n runs have ended, and returns the lateness of those that came since
// the last time.
func (r *runEvents) await(ctx context.Context, n int) (*lateness, error) {
	ctx, cancel := context.WithTimeout(ctx, schedulesWithin+time.Duration(n/schedulesRate)*time.Second)
	defer cancel()
	for {
		r.mu.Lock()
		ended, again := len(r.ended), r.again
		r.mu.Unlock()
		switch {
		case again != nil:
			return nil, again
		case ended >= n:
			return r.take(), nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d runs have ended: %w", ended, n, context.Cause(ctx))
		case <-r.more:
		}
	}
}

// take returns the lateness of the runs that were not taken before.
func (r *runEvents) take() *lateness {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &lateness{}
	for id, late := range r.started {
		if late >= 0 {
			l.starts.add(late)
			l.ends.add(r.ended[id])
			r.started[id], r.ended[id] = -1, -1 // taken
		}
	}
	return l
}

// checkRuns waits until the history of each task has one run, which succeeded.
func checkRuns(ctx context.Context, nc *nats.Conn, n int) error {
	ctx, cancel := context.WithTimeout(ctx, schedulesWithin)
	defer cancel()
	for {
		good, all, err := goodTasks(nc)
		if err != nil || good == n && all == n {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d tasks have one run that succeeded, and there are %d", good, n, all)
		case <-time.After(time.Second):
		}
	}
}

// goodTasks counts the tasks with one run, which succeeded, and all tasks.
func goodTasks(nc *nats.Conn) (good, all int, err error) {
	for cursor := ""; ; {
		msg, err := nc.Request("helve.v1.default.api.schedules.list", fmt.Appendf(nil, `{"limit":1000,"cursor":%q}`, cursor), schedulesWithin)
		if err != nil {
			return 0, 0, err
		}
		var page struct {
			Schedules []struct {
				Runs       int    `json:"runs"`
				LastStatus string `json:"last_status"`
			} `json:"schedules"`
			Next string `json:"next"`
		}
		if err := json.Unmarshal(msg.Data, &page); err != nil || msg.Header.Get("Nats-Service-Error") != "" {
			return 0, 0, fmt.Errorf("schedules.list: %s: %w", msg.Header.Get("Nats-Service-Error"), err)
		}
		for _, t := range page.Schedules {
			if all++; t.Runs == 1 && t.LastStatus == "success" {
				good++
			}
		}
		if cursor = page.Next; cursor == "" {
			return good, all, nil
		}
	}
}
