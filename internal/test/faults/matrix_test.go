package faults

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

var actions = []string{"kill", "stop", "error"}

// trial is one failpoint with every action.
type trial struct {
	// made is set if the call_id is one a dispatcher generated: only then does another look
	// for a result before it accepts.
	made  bool
	point string
	// hit is the count at which the action happens; 0 is the first.
	hit int
	// also arms other points on the way there.
	also string
	// effectOnly is set if only an effect passes this point.
	effectOnly bool
	// unknown are the actions after which the outcome of the effect is unknown: the fence
	// was stored when the worker was lost.
	unknown []string
	// either are the actions after which the order of two messages decides whether the
	// fence was stored.
	either []string
	// heals is set if a dispatcher recovers from an error by itself: its caller need not
	// send the call again.
	heals bool
}

func (c trial) arm(action string) string {
	fault := fmt.Sprintf("%s=%s@%d", c.point, action, max(c.hit, 1))
	if c.also != "" {
		fault = c.also + "," + fault
	}
	return failing("%s", fault)
}

func (c trial) name() string { return fmt.Sprintf("%s@%d", c.point, max(c.hit, 1)) }

// each runs a trial with every action, for calls of each of the tools. What a process that
// stops or fails does to a call without an effect is tried at night only: it is less than what
// it does to one with an effect.
func (c trial) each(t *testing.T, tools []string, run func(t *testing.T, action, tool string)) {
	for _, action := range actions {
		for _, tool := range tools {
			calm := tool == "sleep" && len(tools) > 1 && action != "kill"
			if c.effectOnly && tool == "sleep" || calm && !atNight() {
				continue
			}
			t.Run(strings.Join([]string{c.name(), action, tool}, "/"), func(t *testing.T) {
				t.Parallel()
				run(t, action, tool)
			})
		}
	}
}

// struck waits until the action has happened to the process.
func (p *process) struck(point, action string) {
	p.t.Helper()
	p.line("failpoint " + point + " " + action)
	switch action {
	case "kill":
		p.awaitEnd()
	case "stop":
		p.awaitStop()
	}
}

// one returns the call of a trial, long enough for a few heartbeats.
func (w *world) one(tool string) *call {
	const long = 600
	if tool == "effect" {
		return w.writer("call-1", long, 0)
	}
	return w.sleeper("call-1", long)
}

var workerTrials = []trial{
	{point: failpoint.QueueReceive},
	{point: failpoint.WorkerTaken},
	{point: failpoint.WorkerBeforeEarlier, also: "queue.receive=error"},
	{point: failpoint.QueueRead, also: "queue.receive=error"},
	{point: failpoint.QueueRead, hit: 2, also: "queue.receive=error"},
	{point: failpoint.WorkerBeforeFence, effectOnly: true},
	{point: failpoint.WorkerAfterFence, effectOnly: true, unknown: actions},
	// An effect's first two messages are the record of its start and the fence, its last
	// one the result; a call that changes nothing sends only the result.
	{point: failpoint.QueuePublish},
	{point: failpoint.QueuePublish, hit: 2, effectOnly: true},
	{point: failpoint.QueuePublish, hit: 3, effectOnly: true, unknown: []string{"kill", "stop"}},
	{point: failpoint.QueueAck, either: []string{"kill", "stop"}}, // of the record or of the fence, whichever comes first
	{point: failpoint.QueueAck, hit: 2, effectOnly: true, unknown: []string{"kill", "stop"}},
	{point: failpoint.QueueAck, hit: 3, effectOnly: true},
	{point: failpoint.QueueBeat, unknown: []string{"kill", "stop"}},
	{point: failpoint.WorkerAfterTool, unknown: []string{"kill", "stop"}},
	{point: failpoint.WorkerAfterResult},
	{point: failpoint.QueueSettle},
	{point: failpoint.WorkerAfterAck},
}

// TestWorkerFails strikes a worker at every boundary of a call's life; another worker takes
// over, and the first, if it was only stopped, continues after that.
func TestWorkerFails(t *testing.T) {
	for _, c := range workerTrials {
		c.each(t, []string{"sleep", "effect"}, func(t *testing.T, action, tool string) { c.strikeWorker(t, newWorld(t), action, tool) })
	}
}

// strikeWorker strikes one worker of a world.
func (c trial) strikeWorker(t *testing.T, w *world, action, tool string) {
	victim := w.worker(c.arm(action))
	d := w.dispatcher()
	asked := w.one(tool)
	first := d.send(time.Minute, asked)
	victim.struck(c.point, action)
	if action != "error" {
		w.worker()
	}
	got := d.settle(t, asked)
	if action == "stop" {
		victim.signal(syscall.SIGCONT)
	}
	want := []string{"success"}
	switch {
	case tool == "effect" && slices.Contains(c.unknown, action):
		want = []string{"outcome_unknown"}
	case tool == "effect" && slices.Contains(c.either, action):
		want = append(want, "outcome_unknown")
	}
	if !slices.Contains(want, got.outcome()) {
		t.Errorf("the call ended in %s (%s), want %s", got.outcome(), got.Message, strings.Join(want, " or "))
	}
	w.agreed(<-first, got)
	w.settled(d)
}

// agreed compares the answer to the first request with the call's end. There is none if its
// dispatcher died, and no end if its time was over first.
func (w *world) agreed(first answer, end element) {
	w.t.Helper()
	if first.err != nil || first.status != 200 || !first.elements[0].ended() {
		return
	}
	if !first.elements[0].same(&end) {
		w.t.Errorf("two answers for one call:\n%+v\n%+v", first.elements[0], end)
	}
}

var dispatcherTrials = []trial{
	{point: failpoint.DispatcherReceived},
	{point: failpoint.DispatcherBeforeAccept},
	{point: failpoint.QueueRead, hit: 2, made: true}, // the first read is at its start
	{point: failpoint.QueuePublish, heals: true},
	{point: failpoint.QueueAck, heals: true},
	{point: failpoint.DispatcherAfterAccept},
	{point: failpoint.QueuePublish, hit: 2, heals: true},
	{point: failpoint.QueueAck, hit: 2, heals: true},
	{point: failpoint.DispatcherAfterSubmit, heals: true},
	{point: failpoint.DispatcherBeforeAnswer},
}

// TestDispatcherFails strikes a dispatcher at every boundary; the caller sends the same
// call_id to another. An effect covers an idempotent call as well: to a dispatcher they are
// the same.
func TestDispatcherFails(t *testing.T) {
	for _, c := range dispatcherTrials {
		c.each(t, []string{"effect"}, func(t *testing.T, action, tool string) { c.strikeDispatcher(t, newWorld(t), action, tool) })
	}
}

// strikeDispatcher strikes one dispatcher of a world.
func (c trial) strikeDispatcher(t *testing.T, w *world, action, tool string) {
	w.worker()
	other := w.dispatcher() // the first is at its start, which is not tested here
	victim := w.dispatcher(c.arm(action))
	asked := w.one(tool)
	if c.made {
		asked.ID = ""
		asked.ID = other.execute(time.Minute, asked).elements[0].CallID
	}
	first := victim.send(time.Minute, asked)
	victim.struck(c.point, action)
	got := other.settle(t, asked)
	if action == "stop" {
		victim.signal(syscall.SIGCONT)
	}
	if got.outcome() != "success" {
		t.Errorf("the call ended in %s (%s), want success", got.outcome(), got.Message)
	}
	a := <-first
	if action == "error" && c.heals && (a.status != 200 || !a.elements[0].ended()) {
		t.Errorf("the struck dispatcher answered %+v, want the call's end", a)
	}
	w.agreed(a, got)
	w.settled(other)
}

// TestPlainForm strikes processes that use neither of the two optimisations, groups of results and
// direct calls: with both taken out the same holds.
func TestPlainForm(t *testing.T) {
	plain := func(t *testing.T) *world {
		w := newWorld(t)
		w.plain = true
		return w
	}
	for _, c := range workerTrials {
		if !atNight() && c.point != failpoint.WorkerAfterTool && c.point != failpoint.WorkerAfterResult {
			continue
		}
		c.each(t, []string{"sleep", "effect"}, func(t *testing.T, action, tool string) { c.strikeWorker(t, plain(t), action, tool) })
	}
	for _, c := range dispatcherTrials {
		if !atNight() && c.point != failpoint.DispatcherAfterSubmit {
			continue
		}
		c.each(t, []string{"effect"}, func(t *testing.T, action, tool string) { c.strikeDispatcher(t, plain(t), action, tool) })
	}
}

// TestEveryPointIsTried checks that the matrices are complete.
func TestEveryPointIsTried(t *testing.T) {
	tried := map[string]bool{
		failpoint.DispatcherAfterEnd:      true, // TestCancelFails
		failpoint.QueueMoved:              true, // TestMoveFails
		failpoint.QueueDecline:            true, // TestDirectDeclineFails
		failpoint.DispatcherAfterHand:     true, // TestDirectDispatcherFails
		failpoint.DispatcherBeforeCopy:    true, // TestDirectDispatcherFails
		failpoint.WorkerBeforeEnd:         true, // TestWorkerEndsUnstartedCall
		failpoint.DispatcherBeforeRelease: true, // TestDispatcherDiesWithARefusedCall
		failpoint.WorkerBeforeGroup:       true, // TestGroupFails
		failpoint.WorkerAfterGroup:        true, // TestGroupFails
		failpoint.PumpBeforeWrite:         true, // TestPumpFails
		failpoint.PumpAfterWrite:          true, // TestPumpFails
		failpoint.DispatcherAfterCallback: true, // TestCallbackFails
		failpoint.CallbackCopied:          true, // TestCallbackFails
		failpoint.CallbackSent:            true, // TestCallbackFails
		failpoint.AccountRenewed:          true, // TestDispatcherFailsBehindNewTokens
		failpoint.GroupsUsed:              true, // TestPlainForm
		failpoint.ProgramBegun:            true, // TestProgramFails, as the next ones
		failpoint.ProgramBeforeStep:       true,
		failpoint.ProgramAfterStep:        true,
		failpoint.ProgramBeforeEntry:      true,
		failpoint.ProgramAfterEntry:       true,
		failpoint.ProgramParked:           true,
		failpoint.ProgramWoken:            true,
		failpoint.ProgramRequeued:         true,
	}
	for _, c := range slices.Concat(workerTrials, directTrials, dispatcherTrials, parkTrials, carryTrials, storeTrials, scheduleTrials) {
		tried[c.point] = true
	}
	for _, point := range failpoint.Names() {
		if !tried[point] {
			t.Errorf("no fault test strikes %s", point)
		}
	}
}

// TestCancelFails strikes a dispatcher that has ended a call in the queue and not stored
// its result. The call must not act afterwards.
func TestCancelFails(t *testing.T) {
	for _, action := range actions {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.worker().drain() // its tools stay known, and no worker takes a call
			victim, other := w.dispatcher(failing("%s=%s", failpoint.DispatcherAfterEnd, action)), w.dispatcher()
			asked := w.one("effect")
			if a := other.execute(0, asked); a.status != 200 {
				t.Fatalf("the call was not queued: %+v", a)
			}
			answered := make(chan element, 1)
			go func() {
				e, _ := victim.cancel(asked)
				answered <- e
			}()
			victim.struck(failpoint.DispatcherAfterEnd, action)
			got, status := other.cancel(asked)
			if status != 200 || got.outcome() != "cancelled" {
				t.Errorf("the other dispatcher answered %d %+v, want cancelled", status, got)
			}
			if action == "stop" {
				victim.signal(syscall.SIGCONT)
			}
			<-answered
			w.worker()
			w.settled(other)
			if n := w.ledger(defaultTenant)[asked.ID]; n != 0 {
				t.Errorf("a cancelled call wrote %d lines, want 0", n)
			}
		})
	}
}
