package streams

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/x/device"
)

// Shortage is the reason why the message store refuses writes now. Its text is suitable for
// callers.
type Shortage struct {
	// What names the full part, Advice the remedy.
	What, Advice string
	// silent: the store does not answer, so it is unknown whether it is full.
	silent bool
	// gone: stored calls and results cannot be read either.
	gone bool
}

// Gone reports whether stored calls and results cannot be read either.
func (s *Shortage) Gone() bool { return s.gone }

// Error returns the full part and the remedy.
func (s *Shortage) Error() string { return s.What + "; " + s.Advice }

// Is makes a shortage an [natsio.ErrFull], or an [natsio.ErrUnavailable] if the store is
// silent.
func (s *Shortage) Is(target error) bool {
	return target == natsio.ErrFull && !s.silent || target == natsio.ErrUnavailable && s.silent
}

// Full returns why no more calls may be accepted now, or nil. It costs one atomic read: the
// state comes from refused writes and from [room.watch].
func (b *Store) Full() *Shortage { return b.room.accept.Load() }

// Held returns why no call may be run now, or nil: its record or its result could
// not be stored.
func (b *Store) Held() *Shortage { return b.room.run.Load() }

// room is the state of the room in the message store.
type room struct {
	store       *Store
	accept, run atomic.Pointer[Shortage]
	group       atomic.Int64
	// short is the reason why this process is not ready.
	short        atomic.Pointer[Shortage]
	tight        atomic.Bool // room is scarce, so it is checked often
	suspects     atomic.Bool // acknowledgements are missing
	reconnected  atomic.Int64
	stop         chan struct{}
	begun, ended sync.Once
	done         sync.WaitGroup

	mu       sync.Mutex
	streams  map[string]*level
	deviceIs device.Space
	noSpace  bool
	// unanswered counts checks of streams without an answer, hung is set after two.
	unanswered int
	hung       bool
}

// level is the state of one stream.
type level struct {
	bytes, messages bound
	// full: it accepts no more calls. Need is the size of the largest message that was
	// refused since.
	full bool
	need int64
	// spent: half of the part reserved for accepted calls is used, so that none is run.
	spent bool
	// crowded: the last write was refused for the number of messages.
	crowded bool
	// limited: the server or the account has no more storage for it.
	limited bool
	// oldest is the age of the oldest message, and holds that age when the stream became full:
	// the time whose messages it holds.
	oldest, holds time.Duration
	// late: since then, results have waited longer for the trail than they are kept.
	late  bool
	since time.Time
	// absent is the reason why it cannot be written at all, empty if it can.
	absent string
	// missed is the number of acknowledgements missing since the last arrival.
	missed int
	silent bool
	// subject is the subject of the last write that failed; probes go there.
	subject string
	probe   time.Time
	pause   time.Duration
}

// bound is a limit of a stream; max is at most 0 if there is none.
type bound struct{ used, max int64 }

// margin is the part of a limit reserved for the records and results of running calls: a
// fraction of it between least and most. Below tight it is checked often.
type margin struct{ least, most, tight int64 }

const keepPart = 20

var (
	byteMargin    = margin{1 << 10, 16 << 20, 64 << 20}
	messageMargin = margin{1, 10_000, 50_000}
)

func (m margin) keep(b bound) int64 { return max(min(b.max/keepPart, m.most), m.least) }

// spent reports whether half of the reserve is used: calls that wait in the queue may use
// that half, running calls the other one.
func (m margin) spent(b bound) bool { return b.max > 0 && b.max-b.used < (m.keep(b)+1)/2 }

func (m margin) full(b bound) bool { return b.max > 0 && b.max-b.used < m.keep(b) }

// enough reports whether a quarter more than the reserve is free, and room for the refused
// message, so that the state does not flap.
func (m margin) enough(b bound, refused int64) bool {
	if b.max <= 0 {
		return true
	}
	keep := m.keep(b)
	return b.max-b.used >= min(keep+keep/4+refused, b.max-b.max/10)
}

func (m margin) scarce(b bound) bool { return b.max > 0 && b.max-b.used < m.tight }

func newRoom(b *Store) *room {
	return &room{store: b, streams: map[string]*level{}, stop: make(chan struct{})}
}

// level returns the state of a stream. The caller holds mu.
func (r *room) level(stream string) *level {
	l := r.streams[stream]
	if l == nil {
		l = &level{}
		r.streams[stream] = l
	}
	return l
}

// Refused updates the state after a write that the server refused.
func (r *room) Refused(msg *nats.Msg, reason error) {
	stream := r.store.streamOf(msg.Subject)
	if stream == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.level(stream)
	l.need = max(l.need, int64(msg.Size()))
	l.subject = msg.Subject
	if errors.Is(reason, natsio.ErrLimit) {
		r.limit(stream, l, true)
	} else {
		if l.crowded = errors.Is(reason, natsio.ErrMessages); l.crowded {
			l.messages.used = l.messages.max
		}
		l.spent = true
		r.fill(stream, l, true)
	}
	r.settle()
}

// Missed implements [natsio.Observer] for a missing acknowledgement. One may be lost; a
// second without an arriving one in between means that the server does not store.
func (r *room) Missed(msg *nats.Msg) {
	stream := r.store.streamOf(msg.Subject)
	lost := time.Since(time.Unix(0, r.reconnected.Load())) < natsio.AckTimeout+time.Second
	if stream == "" || lost || !r.store.Conn.NATS().IsConnected() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unanswered > 0 {
		return // the server hangs: its other answers show that
	}
	l := r.level(stream)
	l.subject = msg.Subject
	l.missed++
	r.suspects.Store(true)
	if l.missed > 1 {
		r.mute(stream, l, true)
		r.settle()
	}
}

// Acknowledged implements [natsio.Observer]. It costs one atomic read while no
// acknowledgement is missing.
func (r *room) Acknowledged(msg *nats.Msg) {
	if r.suspects.Load() {
		r.heard(msg.Subject)
	}
}

// heard updates the state after an acknowledgement that arrived while some are missing.
func (r *room) heard(subject string) {
	stream := r.store.streamOf(subject)
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.streams[stream]
	if l == nil {
		return
	}
	l.missed, l.pause = 0, 0
	r.mute(stream, l, false)
	r.settle()
}

// Reconnected resets the state known from an earlier connection.
func (r *room) Reconnected() {
	r.reconnected.Store(time.Now().UnixNano())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered(true)
	for name, l := range r.streams {
		l.missed = 0
		r.mute(name, l, false)
		r.limit(name, l, false)
	}
	r.settle()
}

// fill records whether a stream is full. Like limit and mute it logs one line for each
// change; the caller holds mu.
func (r *room) fill(stream string, l *level, full bool) {
	if l.full == full {
		return
	}
	if l.full = full; full {
		l.holds = l.oldest
		fields := append(r.fields(stream, l), zap.Int64("messages", l.messages.used), zap.Int64("max_messages", l.messages.max))
		r.store.log.Error("stream full, calls refused", append(fields, zap.String("reason", l.shortage(stream).What))...)
		return
	}
	l.need, l.crowded, l.spent = 0, false, false
	r.store.log.Info("stream has room again", r.fields(stream, l)...)
}

func (r *room) limit(stream string, l *level, limited bool) {
	if l.limited == limited {
		return
	}
	if l.limited = limited; limited {
		r.store.log.Error("storage limit of nats reached, calls refused", r.fields(stream, l)...)
		return
	}
	r.store.log.Info("storage limit of nats has room again", r.fields(stream, l)...)
}

// lag updates the state with the age of the oldest stored result. A result older than the
// retention waits for the trail. A process that was disconnected purges such results on its
// return, so the state counts only if it lasts. The caller holds mu.
func (r *room) lag(l *level, oldest time.Duration) {
	keep := r.store.opts.ResultsMaxAge
	grace := min(keep, lateGrace)
	if oldest <= keep+2*grace {
		l.since = time.Time{}
	} else if l.since.IsZero() {
		l.since = time.Now()
	}
	late := !l.since.IsZero() && time.Since(l.since) > grace
	if l.late == late {
		return
	}
	if l.late = late; late {
		r.store.log.Error("audit trail behind, calls refused",
			zap.Duration("oldest_result", oldest), zap.Duration("results_max_age", keep), zap.String("process", r.store.Conn.ID()))
		return
	}
	r.store.log.Info("audit trail caught up", zap.String("process", r.store.Conn.ID()))
}

func (r *room) mute(stream string, l *level, silent bool) {
	if l.silent == silent {
		return
	}
	if l.silent = silent; silent {
		l.pause = min(max(2*l.pause, muteFirst), muteMost)
		l.probe = time.Now().Add(l.pause)
		r.store.log.Error("stream does not acknowledge, calls refused", r.fields(stream, l)...)
		return
	}
	r.store.log.Info("stream acknowledges again", r.fields(stream, l)...)
}

// answered records whether the server answers at all. The caller holds mu.
func (r *room) answered(answers bool) {
	if r.unanswered++; answers {
		r.unanswered = 0
	}
	switch hung := r.unanswered > 1; {
	case hung && !r.hung:
		r.store.log.Error("nats does not answer, calls refused", zap.String("process", r.store.Conn.ID()))
	case !hung && r.hung:
		r.store.log.Info("nats answers again", zap.String("process", r.store.Conn.ID()))
	}
	if r.hung && !(r.unanswered > 1) {
		for name, l := range r.streams {
			l.missed = 0
			r.mute(name, l, false)
		}
	}
	r.hung = r.unanswered > 1
}

// Silent reports whether the shortage is a missing answer of the store: only another write
// shows whether it stores again.
func (s *Shortage) Silent() bool { return s != nil && s.silent }

// settle computes from the streams and the device whether calls are accepted and run. The
// caller holds mu.
func (r *room) settle() {
	var run, short, accept *Shortage
	if r.hung {
		run = &Shortage{
			What:   "NATS does not answer",
			Advice: "the operator must look at the NATS server; send the call again later",
			silent: true,
		}
	}
	suspects, tight := false, r.noSpace || r.store.opts.StoreDir != "" && r.deviceIs.Tight()
	if r.noSpace {
		run = &Shortage{
			What: "no space on the device of the message store", Advice: "the operator must free space there; send the call again later",
		}
	}
	for _, stream := range [...]string{Audit, Results, Once, Calls} {
		l := r.streams[stream]
		if l == nil {
			continue
		}
		suspects = suspects || l.missed > 0 || l.silent
		s := l.shortage(stream)
		if l.late && accept == nil {
			accept = &Shortage{
				What:   "the audit trail is behind: final records of calls wait to be written to it",
				Advice: "send the call again later; the operator must look at helve_audit_seal_lag_seconds and at the dispatchers' log",
			}
		}
		if stream == Calls {
			if s != nil {
				accept = s
			}
			continue
		}
		if short == nil {
			short = s
		}
		if run == nil && (l.spent || l.limited || l.silent || l.absent != "") {
			run = s
		}
		tight = tight || s != nil || byteMargin.scarce(l.bytes) || messageMargin.scarce(l.messages)
	}
	if run != nil {
		short = run
	}
	if short != nil {
		accept = short
	}
	accept = r.unreadable(accept)
	r.group.Store(min(r.groupRoom(Audit), r.groupRoom(Results)))
	r.run.Store(run)
	r.short.Store(short)
	r.accept.Store(accept)
	r.tight.Store(tight)
	r.suspects.Store(suspects)
}

// streamOf returns the stream that stores a subject, "" for a stream that is not watched.
func (b *Store) streamOf(subject string) string {
	_, tokens, ok := b.tree.Split(subject, 2)
	if !ok || len(tokens) == 0 {
		return ""
	}
	switch tokens[0] {
	case "call":
		return Calls
	case "result":
		return Results
	case "audit":
		return Audit
	case "once":
		return Once
	case "callback":
		return Callbacks
	}
	return ""
}
