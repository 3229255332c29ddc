package faults

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// TestTwoOfThreeWorkersKilled kills two of three workers that share a load.
func TestTwoOfThreeWorkersKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const slots = 16
	limit := fmt.Sprintf("HELVE_WORKER_SLOTS=%d", slots)
	w.worker(limit).drain() // its tools stay known, and no worker takes a call
	d := w.dispatcher()
	var first []<-chan answer
	var all, sleepers, writers []*call
	for range 6 {
		s, e := w.sleepers(100, 200), w.writers(50, 100, 100)
		sleepers, writers, all = append(sleepers, s...), append(writers, e...), append(append(all, s...), e...)
		first = append(first, d.send(time.Minute, append(append([]*call{}, s...), e...)...))
	}
	o := w.observe()
	await(t, "every call on the queue", func() bool { return o.queued() == uint64(len(all)) })
	workers := []*process{w.worker(limit), w.worker(limit), w.worker(limit)}
	for i, victim := range workers[:2] {
		await(t, "some results, and more calls given out than any two workers hold", func() bool {
			return o.stored(anyResult) >= uint64(100*(i+1)) && o.pool().NumAckPending > 2*slots
		})
		victim.kill()
	}
	ended := w.settleAll(d, all)
	w.wantOutcomes(ended, sleepers, "success")
	w.wantOutcomes(ended, writers, "success", "outcome_unknown")
	for _, f := range first {
		w.allAgreed(<-f, ended)
	}
	again := 0
	for _, e := range ended {
		if e.Attempt > 1 {
			again++
		}
	}
	if again == 0 {
		t.Error("no call was caught in a dying worker: the load was too small to show anything")
	}
	w.settled(d)
}

// TestTerminatedUnderLoad sends SIGTERM to a worker and a dispatcher that have hundreds of
// calls. Both end cleanly, and every call ends elsewhere.
func TestTerminatedUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	leaving := w.worker("HELVE_WORKER_SLOTS=100")
	going, staying := w.dispatcher(), w.dispatcher()
	sleepers, writers := w.sleepers(250, 800), w.writers(250, 400, 400)
	all := append(append([]*call{}, sleepers...), writers...)
	first := []<-chan answer{going.send(time.Minute, sleepers...), going.send(time.Minute, writers...)}
	o := w.observe()
	await(t, "running and queued calls", func() bool { return o.stored(anyResult) >= 50 && o.queued() >= 300 })
	leaving.signal(syscall.SIGTERM)
	going.signal(syscall.SIGTERM)
	w.worker()
	for _, p := range []*process{leaving, going.process} {
		p.awaitEnd()
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("%s ended with %v, want exit code 0", p.name, p.cmd.ProcessState)
		}
	}
	ended := w.settleAll(staying, all)
	w.wantOutcomes(ended, all, "success") // no process died: nothing is unknown
	for _, f := range first {
		a := <-f
		if a.status != 200 || len(a.elements) == 0 {
			t.Errorf("the dispatcher left without an answer: %d %v", a.status, a.err)
		}
		w.allAgreed(a, ended)
	}
	w.settled(staying)
}

// TestDrainEndsInTime has a worker whose call takes longer than the drain: the worker still
// ends, and the call goes to another worker or is reported as unknown.
func TestDrainEndsInTime(t *testing.T) {
	for _, tt := range []struct{ tool, want string }{{"sleep", "success"}, {"effect", "outcome_unknown"}} {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			leaving := w.worker("HELVE_WORKER_DRAIN_TIMEOUT=4s")
			d := w.dispatcher()
			asked := w.sleeper("long", 6000)
			if tt.tool == "effect" {
				w.calls = nil
				asked = w.writer("long", 6000, 0)
			}
			first := w.sendRunning(d, asked)
			leaving.drain()
			w.worker()
			got := d.settle(t, asked)
			if got.outcome() != tt.want {
				t.Errorf("the call ended in %s (%s), want %s", got.outcome(), got.Message, tt.want)
			}
			w.agreed(<-first, got)
			w.settled(d)
		})
	}
}
