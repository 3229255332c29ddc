package streams

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

const (
	// keepEvery is the time between two looks at the streams that calls need, keepRests-th
	// of which are at all streams.
	keepEvery = time.Second
	keepRests = 2
	// keepWithin bounds one look.
	keepWithin = 1200 * time.Millisecond
	// unheardMost is the number of looks without an answer after which a stream counts as
	// without a leader, if others answer.
	unheardMost = 2
	// growEvery is the number of looks between two attempts to raise bounds that are less than
	// the streams can use. An attempt without room is one request that changes nothing.
	growEvery = 60
	// growWithin bounds such an attempt, which waits for those of other processes.
	growWithin = 20 * time.Second
	// peerSilence is the time after which a copy of a stream counts as lost. Its leader
	// receives a heartbeat from each every second.
	peerSilence = 3 * time.Second
	// leaveAfter is the number of looks without a usable stream of calls after which the
	// process connects to another server of the cluster, and leaveAgain the time until it
	// may do so again. An election takes up to nine seconds; a server that is cut off from
	// the others, and not from this process, would never have one.
	leaveAfter = 6
	leaveAgain = 15 * time.Second
	// freshFor is the age up to which the streams of a server count as just made: a server
	// that lost all its data, or a new one.
	freshFor = time.Minute
)

// keeper looks after the streams of Helve while a process runs: it notices those that were
// deleted, altered, or have no leader, makes again and changes back what it may, and
// reports the rest. It polls, because a poll needs no other permission than the process
// has, and misses nothing that happened while the process was not connected.
type keeper struct {
	store *Store
	rows  map[string]upkeep
	fresh time.Duration
	mends atomic.Bool // mend is running
	// unanswered is the number of looks since the streams of calls were last usable, left is when
	// the process last connected to another server. Only watch uses them.
	unanswered int
	left       time.Time

	mu    sync.Mutex
	state map[string]*kept
}

// kept is the state of a stream, or of a consumer, whose name then has a slash.
type kept struct {
	created time.Time
	problem string
	unheard int
	mended  int64
	logged  string
	told    bool // Options.Kept was called
}

func newKeeper(b *Store) *keeper {
	return &keeper{store: b, rows: upkeepOf(), fresh: freshFor, state: map[string]*kept{}}
}

// Condition is the state of a stream, or of the consumer of a lane as <stream>/<consumer>.
type Condition struct {
	Name string `json:"name"`
	// Problem is a sentence for the operator, empty if there is none.
	Problem string `json:"problem,omitempty"`
	// Mended is the number of times this process made it again or changed it back.
	Mended int64 `json:"mended,omitempty"`
}

// Conditions returns the state of all streams that this process looked at, by name.
func (b *Store) Conditions() (all []Condition) {
	k := b.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(k.state)) {
		all = append(all, Condition{Name: name, Problem: k.state[name].problem, Mended: k.state[name].mended})
	}
	return all
}

// problem returns the first problem, as an error for the operator.
func (k *keeper) problem() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range slices.SortedFunc(maps.Keys(k.state), func(a, b string) int {
		return cmp.Or(cmp.Compare(streamRank(a), streamRank(b)), cmp.Compare(a, b))
	}) {
		if p := k.state[name].problem; p != "" {
			return fmt.Errorf("stream %s %s", name, p)
		}
	}
	return nil
}

// streamRank orders the streams that every call needs before others.
func streamRank(name string) int {
	if i := slices.Index(callStreams(), name); i >= 0 {
		return i
	}
	return len(callStreams())
}

// callStreams returns the streams that every call needs.
func callStreams() []string { return []string{Calls, Results, Once, Audit} }

func (k *keeper) watch() {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-k.store.room.stop:
			return
		case <-tick.C:
		}
		if n%growEvery == growEvery-1 {
			k.store.room.done.Go(k.grow)
		}
		if k.look(n%keepRests == 0) {
			k.unanswered = 0
		} else if k.unanswered++; k.unanswered >= leaveAfter && time.Since(k.left) > leaveAgain {
			k.unanswered, k.left = 0, time.Now()
			natsio.Switch(k.store.Conn, "its streams have no leader")
		}
	}
}

// grow raises the bounds of streams if there is room for it now, in a process that may.
func (k *keeper) grow() {
	if !k.store.opts.Accepts || !k.store.Conn.Connected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), growWithin)
	defer cancel()
	if err := k.store.plan(ctx, true); err != nil {
		k.store.log.Debug("bounds of streams not raised; trying again", zap.Error(err))
	}
}

// look requests the state of the streams, concurrently, and acts on the answers. It reports
// whether each stream of calls has a leader with a quorum.
func (k *keeper) look(all bool) bool {
	if !k.store.Conn.Connected() || natsio.OldServer(k.store.Conn) != nil {
		return true // which the connection itself repairs, and an operator
	}
	var streams []natsio.Stream
	for _, s := range k.store.topology() {
		if all || streamRank(s.Name) < len(callStreams()) {
			streams = append(streams, s)
		}
	}
	answers := k.askAll(streams)
	if !slices.ContainsFunc(answers, func(a *streamAnswer) bool { return a != nil }) {
		return false // the room of the process notices that
	}
	missing, led := false, true
	for i, s := range streams {
		led = led && (streamRank(s.Name) == len(callStreams()) || answers[i].led())
		if k.learn(s, answers[i]) {
			missing = true
		}
	}
	if missing && k.store.opts.Accepts && k.mends.CompareAndSwap(false, true) {
		ctx, cancel := context.WithTimeout(context.Background(), restoreTimeout)
		defer cancel()
		if err := k.store.Restore(ctx); err != nil {
			k.store.log.Warn("streams not made again; trying again", zap.Error(err))
		}
		k.mends.Store(false)
		k.note()
	}
	return led
}

// note reads the state of all streams after some were made again, so that the parts of this
// process that read them begin again without delay.
func (k *keeper) note() {
	streams := k.store.topology()
	for i, a := range k.askAll(streams) {
		if a != nil && a.Error == nil {
			k.known(streams[i].Name, a.Created)
		}
	}
}

// askAll returns the states of streams; nil where no answer came.
func (k *keeper) askAll(streams []natsio.Stream) []*streamAnswer {
	answers := make([]*streamAnswer, len(streams))
	var asked sync.WaitGroup
	for i, s := range streams {
		asked.Go(func() { answers[i] = k.ask(s.Name) })
	}
	asked.Wait()
	return answers
}

// streamAnswer is the answer to a request for the state of a stream.
type streamAnswer struct {
	jetstream.StreamInfo

	Error *natsio.AckError `json:"error"`
}

// ask returns the state of a stream; nil if no answer came.
func (k *keeper) ask(stream string) *streamAnswer {
	ctx, cancel := context.WithTimeout(context.Background(), keepWithin)
	defer cancel()
	reply, err := k.store.Conn.Request(ctx, &nats.Msg{Subject: k.store.Conn.API() + "STREAM.INFO." + stream})
	if err != nil {
		return nil
	}
	var a streamAnswer
	if json.Unmarshal(reply.Data, &a) != nil {
		return nil
	}
	return &a
}

// of returns the state of a stream. The caller holds mu.
func (k *keeper) of(name string) *kept {
	st := k.state[name]
	if st == nil {
		st = &kept{}
		k.state[name] = st
	}
	return st
}

// set updates the problem of a stream or of a consumer, with a log line for each change,
// and whether calls are refused for it.
func (k *keeper) set(name, problem string, mended bool) {
	k.mu.Lock()
	st := k.of(name)
	changed := st.problem != problem || !st.told
	st.told = true
	st.problem = problem
	if mended {
		st.mended++
	}
	logged := st.logged
	if problem == "" {
		st.logged = ""
	} else if kind, _, _ := strings.Cut(problem, ":"); kind != logged {
		st.logged = kind
	}
	news := st.logged != logged
	k.mu.Unlock()
	switch {
	case news && problem != "":
		k.store.log.Error("stream not usable", zap.String("stream", name), zap.String("problem", problem))
	case news:
		k.store.log.Info("stream usable again", zap.String("stream", name))
	}
	if changed {
		k.store.room.absent(name, problem)
	}
	// Dispatchers report streams, because only they compare settings, and workers consumers:
	// in helve up both are one process with one value for each.
	if _, _, consumer := strings.Cut(name, "/"); k.store.opts.Kept != nil && (changed || mended) && (consumer || k.store.opts.Accepts) {
		k.store.opts.Kept(name, problem == "", mended)
	}
}
