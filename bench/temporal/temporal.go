package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// The roles in which this program starts itself.
const (
	roleServer = "server"
	roleWorker = "worker"
)

const (
	queue = "jobs"
	// stepWithin is the time after which the server takes an activity for lost. It does not notice
	// the death of a worker: an activity that was cut off begins again after this time.
	stepWithin = 5 * time.Second
)

// job makes steps one after the other, each of which takes pause.
func job(ctx workflow.Context, steps int, pause time.Duration) (int, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: stepWithin})
	sum := 0
	for range steps {
		var one int
		if err := workflow.ExecuteActivity(ctx, "echo", 1, pause).Get(ctx, &one); err != nil {
			return 0, err
		}
		sum += one
	}
	return sum, nil
}

// echo is the activity of a step.
func echo(ctx context.Context, value int, pause time.Duration) (int, error) {
	if pause > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return value, nil
}

// work runs a worker in this process until a signal.
func work(addr string) error {
	c, err := dial(addr)
	if err != nil {
		return err
	}
	defer c.Close()
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflowWithOptions(job, workflow.RegisterOptions{Name: "job"})
	w.RegisterActivityWithOptions(echo, activity.RegisterOptions{Name: "echo"})
	if err := w.Start(); err != nil {
		return err
	}
	fmt.Println("ready")
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	w.Stop()
	return nil
}

func dial(addr string) (client.Client, error) {
	quiet := log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	return client.Dial(client.Options{HostPort: addr, Namespace: namespace, Logger: quiet})
}

// temporalSystem is Temporal's server with SQLite.
type temporalSystem struct {
	dir, addr, self string
	server          *process
	c               client.Client
}

func startTemporal(ctx context.Context, dir string) (*temporalSystem, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &temporalSystem{dir: filepath.Join(dir, "temporal"), addr: fmt.Sprintf("127.0.0.1:%d", port), self: self}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	if s.server, err = start(ctx, s.dir, "server", self, roleServer, s.dir, s.addr); err != nil {
		return nil, err
	}
	for end := time.Now().Add(startWithin); ; time.Sleep(100 * time.Millisecond) {
		if s.c, err = dial(s.addr); err == nil {
			if _, err = s.c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW); err == nil {
				return s, nil
			}
			s.c.Close()
		}
		if time.Now().After(end) {
			s.server.kill()
			return nil, err
		}
	}
}

func (s *temporalSystem) name() string { return "Temporal" }
func (s *temporalSystem) disk() string { return s.dir }

func (s *temporalSystem) worker(ctx context.Context, n int) (*process, error) {
	return start(ctx, s.dir, fmt.Sprintf("worker-%d", n), s.self, roleWorker, s.addr)
}

func (s *temporalSystem) close() {
	s.c.Close()
	s.server.stop()
}

func (s *temporalSystem) run(ctx context.Context, id string, steps int, pause time.Duration) error {
	run, err := s.c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue}, "job", steps, pause)
	if err != nil {
		return err
	}
	sum := 0
	if err := run.Get(ctx, &sum); err != nil {
		return err
	}
	if sum != steps {
		return fmt.Errorf("job %s returned %d", id, sum)
	}
	return nil
}

// history returns the bytes and the entries of the history of a job.
func (s *temporalSystem) history(ctx context.Context, id string, _ int) (bytes, entries int64, err error) {
	d, err := s.c.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return 0, 0, err
	}
	info := d.GetWorkflowExecutionInfo()
	return info.GetHistorySizeBytes(), info.GetHistoryLength(), nil
}

// ended returns when each step of a job ended.
func (s *temporalSystem) ended(ctx context.Context, id string) (all []time.Time, err error) {
	events := s.c.GetWorkflowHistory(ctx, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return nil, err
		}
		if e.GetEventType() == enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			all = append(all, e.GetEventTime().AsTime())
		}
	}
	return all, nil
}
