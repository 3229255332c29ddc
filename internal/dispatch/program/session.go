package program

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// lenient keeps what code and tools wrote, also where it is not UTF-8.
var lenient = jsontext.AllowInvalidUTF8(true)

// abandoned is the time without a request after which a session ends: its worker is gone.
const abandoned = 2 * time.Minute

// session is one turn of a program: what its code has seen, and what it awaits.
type session struct {
	svc      *Service
	key      programs.Key
	number   uint64
	begun    uint64 // the place of the last entry when it was opened, 0 for none
	program  *durable.Program
	runs     string // of the program and of those around it
	revision uint64
	wake     int
	// fresh is set if no turn that was cut off can have made a step that is not in the journal.
	fresh bool
	// ahead is the time by which the program's clock is ahead of this process's.
	ahead time.Duration
	life  context.Context
	stop  context.CancelFunc
	idle  *time.Timer

	mu sync.Mutex
	// replay are the events of the journal that the code has not seen, and replayed is set
	// while it sees them; seen are the steps with an event.
	replay   []durable.Event
	replayed bool
	seen     map[int]bool
	slept    map[int]bool
	// made and sleeps are all that the code has made, by the journal and by this turn. The
	// first of them are known from the journal; so are the first lines that it logs.
	made            []durable.Made
	sleeps          []durable.Sleep
	lines           int // that the journal has
	steps, naps, at int // that the code has made, and logged, in this turn
	// entry gathers the next entry of the journal, and storing is the one before, until it is known
	// to be stored.
	entry   durable.Entry
	storing *storing
	// open are the steps without an outcome, asleep the sleeps that have not ended.
	open   map[int]*flight
	asleep map[int]time.Time
	landed chan *flight
	news   chan struct{} // there is something to look at
	ending atomic.Bool
	failed int // the step whose error the code did not catch
	// waiting are the events that came and are not stored yet; journaled is the number of steps
	// that the journal had when the turn began.
	waiting []durable.Event
	// cold is when the turn may end, zero before it waits.
	cold      time.Time
	journaled int
	// known is the number of steps that were made when this turn stored its first entry. A turn that
	// was cut off has not seen that entry, nor can it store another one, so it made none of those
	// that follow.
	known int
	// newest is the latest time that the code has seen. The clock of another dispatcher may be
	// minutes ahead, and the time of a program does not go back.
	newest int64
	// moved is set when this turn has made or stored anything, brought if the process that woke
	// the program has, or is not known to have stored nothing.
	moved, brought bool
}

// answer answers one request of a turn.
func (s *Service) answer(ctx context.Context, r peer.ProgramRequest) (peer.ProgramAnswer, error) {
	if r.Do == peer.ProgramSaved {
		return s.kept(ctx, r)
	}
	t, opened, err := s.session(ctx, r)
	if t == nil {
		return opened, err
	}
	if r.End != nil { // a request of the code that still waits ends
		t.ending.Store(true)
		t.tell()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle.Reset(abandoned)
	a, err := t.do(ctx, r)
	if errors.Is(err, natsio.ErrExists) { // another turn, or who woke the program, was quicker
		a, err = again(), nil
	}
	if r.Do == peer.ProgramOpen {
		a.At, a.Session, a.Fresh, a.NowMS = s.Queue.Conn.ID(), t.number, t.begun == 0, cmp.Or(t.program.CodeStartMS, t.program.StartedMS)
		a.CodeID = t.program.CodeID
		a.Saved = opened.Saved
	}
	if err != nil || a.Again {
		s.count(telemetry.ProgramTurns, 1, turnAgain)
	}
	if err != nil || a.Again || a.Waits || r.End != nil {
		t.close()
	}
	return a, err
}

// session returns the session of a request, which it opens if the request says so; or an answer.
func (s *Service) session(ctx context.Context, r peer.ProgramRequest) (*session, peer.ProgramAnswer, error) {
	if r.Do == peer.ProgramOpen {
		return s.open(ctx, r)
	}
	found, _ := s.sessions.Load(r.Session)
	t, ok := found.(*session)
	if !ok || t.key != (programs.Key{Tenant: r.Tenant, CallID: r.CallID}) || t.program.Key != r.Key {
		return nil, again(), nil
	}
	return t, peer.ProgramAnswer{}, nil
}

func again() peer.ProgramAnswer { return peer.ProgramAnswer{Again: true} }

// mustEnd returns the answer to a program that must end.
func mustEnd(err *tool.Error) peer.ProgramAnswer {
	return peer.ProgramAnswer{Kind: string(err.Kind), Message: err.Msg}
}

// open begins a turn, with the journal as it is now; or it returns the answer to a program that
// is over.
func (s *Service) open(ctx context.Context, r peer.ProgramRequest) (*session, peer.ProgramAnswer, error) {
	k := programs.Key{Tenant: r.Tenant, CallID: r.CallID}
	p, revision, err := s.readFor(ctx, k, r.Wake)
	if err == nil {
		p, revision, err = s.keep(ctx, k, r, p, revision)
	}
	if refused, is := errors.AsType[*tool.Error](err); is {
		return nil, mustEnd(refused), nil
	}
	switch {
	case err != nil:
		return nil, again(), err
	case p == nil || p.Key != r.Key:
		return nil, mustEnd(tool.Fail(tool.ExecutionError, "the program is not stored any more; it did nothing further")), nil
	case p.State == durable.Done && !resultLost(p):
		return nil, peer.ProgramAnswer{End: endOf(p)}, nil
	case p.Cancelled:
		return nil, mustEnd(cancelled()), nil
	}
	t := &session{
		svc: s, key: k, number: s.opened.Add(1), program: p, runs: call.Runs(p.Runs()), revision: revision, wake: max(r.Wake, p.Wake),
		fresh: !r.Redelivered && p.Wake == r.Wake, ahead: aheadOf(p),
		seen: map[int]bool{}, slept: map[int]bool{}, open: map[int]*flight{}, asleep: map[int]time.Time{},
		landed: make(chan *flight, durable.MaxRunning), news: make(chan struct{}, 1), newest: p.StartedMS,
	}
	t.brought = r.Wake != p.Wake || p.Brought > 0
	if err := t.read(ctx); err != nil {
		return nil, again(), err
	}
	t.begun = t.program.Last
	a, err := savedAnswer(p)
	if err != nil {
		return nil, again(), err
	}
	t.life, t.stop = context.WithDeadline(context.Background(), lastOf(p).Add(abandoned))
	t.idle = time.AfterFunc(abandoned, t.close)
	s.sessions.Store(t.number, t)
	context.AfterFunc(t.life, t.close)
	return t, a, nil
}

// readFor reads a program for a turn by a wake. If the waker has not written that yet, it is
// written here: nobody else must be about to replace the revision.
func (s *Service) readFor(ctx context.Context, k programs.Key, wake int) (*durable.Program, uint64, error) {
	for {
		p, revision, err := s.Store.Read(ctx, k)
		if p == nil || err != nil || p.State != durable.Waiting || p.Cancelled || p.Wake >= wake {
			return p, revision, err
		}
		p.State, p.Wake, p.Waits = durable.Queued, wake, nil
		if err := s.Store.Change(ctx, k, p, revision); err != nil && !errors.Is(err, natsio.ErrExists) {
			return nil, 0, err
		}
	}
}

// read reads the journal.
func (t *session) read(ctx context.Context) error {
	p := t.program
	first := t.fresh && t.wake == 0
	if first && p.Last == 0 { // there is no journal, and a reader costs as much as a step
		return nil
	}
	p.Bytes, p.CPUMS = 0, 0
	entries := 0
	last, err := t.svc.Store.Journal(ctx, t.key, p, func(e *durable.Entry) error {
		entries++
		t.made, t.sleeps = append(t.made, e.Made...), append(t.sleeps, e.Sleeps...)
		t.replay, t.lines, p.CPUMS = append(t.replay, e.Events...), t.lines+len(e.Logs), p.CPUMS+e.CPUMS
		for _, event := range e.Events {
			t.seen[event.Step], t.slept[event.Sleep] = true, true
			t.newest = max(t.newest, event.NowMS)
			p.Bytes += int64(len(event.Value))
		}
		return nil
	})
	if p.Last, p.Steps = last, len(t.made); !first { // else the journal is a copy of that of the program that it continues
		t.journaled = len(t.made)
	}
	t.svc.count(telemetry.ProgramReplayed, entries)
	return err
}

// close ends a session. It may be called more than once.
func (t *session) close() {
	t.svc.sessions.Delete(t.number)
	t.idle.Stop()
	t.stop()
}

func (t *session) do(ctx context.Context, r peer.ProgramRequest) (peer.ProgramAnswer, error) {
	if err := t.stored(ctx); err != nil {
		return again(), err
	}
	switch {
	case r.End != nil:
		return t.end(ctx, r.End)
	case r.Next == nil:
		return peer.ProgramAnswer{}, nil
	}
	var next durable.Next
	if err := json.Unmarshal(r.Next, &next, lenient); err != nil {
		return mustEnd(tool.Fail(tool.ExecutionError, "the sandbox sent what is no request of a program").Because(err)), nil
	}
	if !t.replayed {
		t.entry.CPUMS += r.CPUMS
	}
	t.failed = next.Failed
	if refused := t.take(&next); refused != nil {
		return mustEnd(refused), nil
	}
	switch {
	case next.Ended, next.Unsettled > 0:
		return peer.ProgramAnswer{Events: []byte(`{"events":[]}`)}, nil
	case len(t.replay) > 0:
		return t.page()
	case time.Duration(t.program.CPUMS+t.entry.CPUMS)*time.Millisecond > durable.MaxCPU:
		return mustEnd(tool.Fail(tool.Timeout, "the code of the program took more than %v of CPU in all, as much as it may", durable.MaxCPU)), nil
	}
	t.replayed = false
	if t.program.State == durable.Done {
		return mustEnd(notAgain()), nil
	}
	if r.Do == peer.ProgramOpen { // the worker must know the session before it waits: the program may be cancelled
		t.launch()
		return peer.ProgramAnswer{Idle: true}, nil
	}
	return t.await(ctx)
}

// Bounds of one answer with events of the journal.
const (
	pageEvents = 200
	pageBytes  = 1 << 20
)

// page answers with the next events of the journal.
func (t *session) page() (peer.ProgramAnswer, error) {
	n, size := 0, 0
	for n < len(t.replay) && n < pageEvents && size < pageBytes {
		size += len(t.replay[n].Value)
		n++
	}
	events := t.replay[:n]
	t.replay, t.replayed = t.replay[n:], true
	return eventsOf(events, true)
}

func eventsOf(events []durable.Event, replay bool) (peer.ProgramAnswer, error) {
	data, err := json.Marshal(durable.Answer{Events: events, Replay: replay}, lenient)
	return peer.ProgramAnswer{Events: data}, err
}

// await waits for what the code sees next: an outcome, or the end of a sleep. If nothing comes
// in time the program waits as data.
func (t *session) await(ctx context.Context) (peer.ProgramAnswer, error) {
	t.launch()
	asked := t.clock()
	if t.cold.IsZero() {
		t.cold = asked.Add(t.svc.Hot)
	}
	for {
		events := t.arrived()
		if len(events) > 0 {
			return t.show(ctx, events)
		}
		now := t.clock()
		if !now.Before(t.program.Deadline()) {
			return mustEnd(tooLate(t.program)), nil
		}
		if t.still(now) || !now.Before(t.cold) && t.settled() {
			return t.park(ctx)
		}
		if now.Sub(asked) >= peer.ProgramIdle || t.ending.Load() {
			return peer.ProgramAnswer{Idle: true}, nil
		}
		nap := time.NewTimer(min(t.nap(now), peer.ProgramIdle-now.Sub(asked)))
		select {
		case f := <-t.landed:
			nap.Stop()
			if refused := t.land(f); refused != nil {
				return mustEnd(refused), nil
			}
		case <-nap.C:
		case <-t.news:
			nap.Stop()
		case <-ctx.Done():
			nap.Stop()
			return again(), context.Cause(ctx)
		}
	}
}

func tooLate(p *durable.Program) *tool.Error {
	return tool.Fail(tool.Timeout, "the program did not end in the %v that it has; give it more with timeout_seconds",
		p.Deadline().Sub(time.UnixMilli(p.StartedMS)).Round(time.Second))
}
