package durable

import (
	"fmt"
	"testing"
)

// The life of one program as a model: what is stored, in which order it is written, and every
// place where a process can be killed. TestLife walks through all of its states. The program
// awaits two steps, one after the other, and returns.

const (
	steps   = 2
	kills   = 1 // in one history
	wakes   = 6 // in one history; more are not explored
	workers = 2
	wakers  = 2 // of a lease that has two holders for a moment
)

// world is one state of the model. It is comparable: two equal worlds have the same future.
type world struct {
	head    headState
	journal int8            // the events that are stored, in the order of the steps
	queue   [wakes + 1]int8 // of the message of each wake: absent, queued, held by a worker (2+w), acknowledged (-1)
	step    [steps]int8     // not made, running, ended
	effects [steps]int8
	result  int8
	worker  [workers]turn
	waker   [wakers]waking
	killed  int8
}

type headState struct {
	state State
	wake  int8
	waits int8 // the step that it waits for
	rev   int8 // each write makes another one
}

// turn is a worker with its session: pc is its place in the code below.
type turn struct {
	pc, message, journal int8
	head                 headState
}

type waking struct {
	pc   int8
	head headState
}

// The places of a turn.
const (
	idle int8 = iota
	taken
	replayed // the session is open, and the code awaits the step after the journal
	made     // that step was sent
	stored   // its outcome was appended: what the code does after it is taken up
	ending   // the code has returned
	finished // the end is in the head
	waiting  // the head has what it waits for
)

// next returns all worlds that can follow, with what happened.
func (w world) next() map[string]world {
	all := map[string]world{}
	for i := range w.step {
		if w.step[i] == 1 {
			to := w
			to.step[i] = 2
			all[fmt.Sprintf("step %d ends", i+1)] = to
		}
	}
	for i := range w.worker {
		w.turns(int8(i), all)
	}
	for i := range w.waker {
		w.wakes(i, all)
	}
	return all
}

func (w world) turns(i int8, all map[string]world) {
	t := w.worker[i]
	say := func(what string, change func(*world, *turn)) {
		to := w
		change(&to, &to.worker[i])
		all[fmt.Sprintf("worker %d %s", i, what)] = to
	}
	if t.pc != idle && w.killed < kills {
		// The worker, or the dispatcher with the session, ends: the queue delivers again.
		say("is killed", func(to *world, own *turn) { to.queue[t.message], *own, to.killed = 1, turn{}, to.killed+1 })
	}
	switch t.pc {
	case idle:
		for m, at := range w.queue {
			if at == 1 {
				say(fmt.Sprintf("takes message %d", m), func(to *world, own *turn) {
					to.queue[m], *own = 2+i, turn{pc: taken, message: int8(m)}
				})
			}
		}
	case taken:
		say("opens", func(to *world, own *turn) {
			switch own.head, own.journal = w.head, w.journal; {
			case w.result > 0 || w.head.state == Done && w.result > 0:
				ack(to, own)
			case w.head.state == Done:
				own.pc = finished
			case w.journal == steps:
				own.pc = ending
			default:
				own.pc = replayed
			}
		})
	case replayed:
		say("makes its step", func(to *world, own *turn) {
			if n := own.journal; to.step[n] == 0 { // else the id joins
				to.step[n], to.effects[n] = 1, to.effects[n]+1
			}
			own.pc = made
		})
	case made:
		if w.step[t.journal] == 2 {
			say("appends the outcome", func(to *world, own *turn) {
				if to.journal != own.journal { // another one was first
					giveBack(to, own)
					return
				}
				to.journal++
				own.journal, own.pc = to.journal, stored
			})
		}
		say("stores that it waits", func(to *world, own *turn) {
			if to.head != own.head || to.journal != own.journal {
				giveBack(to, own)
				return
			}
			to.head = headState{Waiting, max(own.head.wake, own.message), own.journal, own.head.rev + 1}
			own.pc = waiting
		})
	case stored:
		say("goes on", func(_ *world, own *turn) {
			own.pc = replayed
			if own.journal == steps {
				own.pc = ending
			}
		})
	case ending:
		say("stores the end", func(to *world, own *turn) {
			if to.head != own.head {
				giveBack(to, own)
				return
			}
			to.head.state, to.head.rev = Done, own.head.rev+1
			own.pc = finished
		})
	case finished:
		say("stores the result", func(to *world, own *turn) {
			if to.result == 0 { // else it is refused: it is the same
				to.result = 1
			}
			ack(to, own)
		})
	case waiting:
		say("lets go", func(to *world, own *turn) { ack(to, own) })
	}
}

func ack(w *world, own *turn) { w.queue[own.message], *own = -1, turn{} }

// giveBack returns a message to the queue: the turn was overtaken, and the next delivery sees
// by what.
func giveBack(w *world, own *turn) { w.queue[own.message], *own = 1, turn{} }

// wakes has a dispatcher wake a program that waits: append, queue, then write that.
func (w world) wakes(i int, all map[string]world) {
	k := w.waker[i]
	say := func(what string, change func(*world, *waking)) {
		to := w
		change(&to, &to.waker[i])
		all[fmt.Sprintf("waker %d %s", i, what)] = to
	}
	if k.pc != 0 && w.killed < kills {
		say("is killed", func(to *world, own *waking) { *own, to.killed = waking{}, to.killed+1 })
	}
	switch k.pc {
	case 0:
		if w.head.state == Waiting && w.step[w.head.waits] == 2 && w.head.wake < wakes {
			say("sees the outcome", func(to *world, own *waking) { *own = waking{1, to.head} })
		}
	case 1:
		say("appends", func(to *world, own *waking) {
			if to.journal == own.head.waits {
				to.journal++
			}
			own.pc = 2
		})
	case 2:
		say("queues", func(to *world, own *waking) {
			if to.queue[own.head.wake+1] == 0 { // else the server drops the copy
				to.queue[own.head.wake+1] = 1
			}
			own.pc = 3
		})
	case 3:
		say("writes that it is queued", func(to *world, own *waking) {
			if to.head == own.head {
				to.head = headState{Queued, own.head.wake + 1, 0, own.head.rev + 1}
			}
			*own = waking{}
		})
	}
}

// TestLife checks in every state that a step acts once, and that each state can still come to
// the one result: nothing is lost, whichever process is killed where.
func TestLife(t *testing.T) {
	t.Parallel()
	start := world{head: headState{state: Queued}}
	start.queue[0] = 1
	before := map[world][]world{start: nil}
	open := []world{start}
	var ends []world
	for len(open) > 0 {
		w := open[0]
		open = open[1:]
		for i, n := range w.effects {
			if n > 1 {
				t.Fatalf("step %d acted %d times: %+v", i+1, n, w)
			}
		}
		if w.result > 0 {
			ends = append(ends, w)
		}
		for _, to := range w.next() {
			if _, known := before[to]; !known {
				open = append(open, to)
			}
			before[to] = append(before[to], w)
		}
	}
	saved := map[world]bool{}
	for len(ends) > 0 {
		w := ends[0]
		ends = ends[1:]
		if saved[w] {
			continue
		}
		saved[w] = true
		ends = append(ends, before[w]...)
	}
	for w := range before {
		if !saved[w] {
			t.Fatalf("a program is lost: %+v", w)
		}
	}
	t.Logf("%d states", len(before))
}
