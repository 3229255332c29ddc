package streams

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// learn updates the state of a stream from an answer; it reports whether the stream is
// missing and may be made again.
func (k *keeper) learn(s natsio.Stream, a *streamAnswer) (missing bool) {
	var problem string
	var mended bool
	switch {
	case a == nil:
		if k.unheard(s.Name) < unheardMost {
			return false
		}
		problem = "does not answer: it has no leader; start the NATS servers that are down"
	case a.Error != nil && a.Error.ErrCode == int(jetstream.JSErrCodeStreamNotFound):
		row := k.rows[s.Name]
		missing = true
		problem = "is missing: something deleted it. It held " + row.holds + "; "
		if row.remake {
			problem += "a dispatcher makes it again"
		} else {
			problem += "restore it from a backup, or restart a dispatcher to begin with an empty one (docs/cluster.md)"
		}
	case a.Error != nil:
		problem = "cannot be used: " + a.Error.Description + "; start the NATS servers that are down"
	default:
		k.known(s.Name, a.Created)
		if problem = quorum(&a.StreamInfo); problem == "" {
			problem, mended = k.mend(s, &a.StreamInfo)
		}
	}
	k.set(s.Name, problem, mended)
	return missing
}

// led reports whether an answer is that of a leader with a quorum, or that the stream does not
// exist.
func (a *streamAnswer) led() bool {
	switch {
	case a == nil:
		return false
	case a.Error != nil:
		return a.Error.ErrCode == int(jetstream.JSErrCodeStreamNotFound)
	}
	return quorum(&a.StreamInfo) == ""
}

// unheard counts a look without an answer.
func (k *keeper) unheard(name string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	st := k.of(name)
	st.unheard++
	return st.unheard
}

// known updates when a stream was made. Another time than before means that it was deleted
// and made again.
func (k *keeper) known(name string, created time.Time) {
	k.mu.Lock()
	st := k.of(name)
	before := st.created
	st.created, st.unheard = created, 0
	k.mu.Unlock()
	if !before.IsZero() && !before.Equal(created) {
		k.store.log.Warn("stream was made again", zap.String("stream", name))
		natsio.MarkRemade(k.store.Conn, name)
	}
}

// quorum returns the problem of a stream whose leader does not receive the heartbeats of
// enough copies: it stores nothing. The leader itself notices that only after ten seconds.
func quorum(info *jetstream.StreamInfo) string {
	if info.Cluster == nil || info.Config.Replicas < 2 {
		return ""
	}
	if info.Cluster.Leader == "" {
		return "has no leader; start the NATS servers that are down"
	}
	var lost []string
	for _, peer := range info.Cluster.Replicas {
		if peer.Active > peerSilence || peer.Offline && peer.Active > 0 {
			lost = append(lost, peer.Name)
		}
	}
	if len(lost) <= (info.Config.Replicas-1)/2 {
		return ""
	}
	return fmt.Sprintf("has no quorum: %d of %d copies do not answer (%s); start those NATS servers again",
		len(lost), info.Config.Replicas, strings.Join(lost, ", "))
}

// mend changes altered settings back, in a process that may.
func (k *keeper) mend(s natsio.Stream, info *jetstream.StreamInfo) (problem string, mended bool) {
	ctx, cancel := context.WithTimeout(context.Background(), restoreTimeout)
	defer cancel()
	t := natsio.Topology{Conn: k.store.Conn}
	if !k.store.opts.Accepts {
		return "", false // dispatchers do, and report what they cannot
	}
	mended, left, err := t.Mend(ctx, s, info)
	switch {
	case err != nil:
		left = errors.Join(errors.New(left), err).Error()
	case mended:
		k.store.log.Error("stream was altered, settings changed back", zap.String("stream", s.Name))
	}
	if left == "" {
		return "", mended
	}
	return "was altered: " + strings.ReplaceAll(left, "\n", ": ") +
		"; set that back, or delete the stream and restart a dispatcher, which loses what it holds (docs/cluster.md)", false
}

// absent records why a stream that calls need cannot be written, empty if it can.
func (r *room) absent(stream, problem string) {
	if streamRank(stream) >= len(callStreams()) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.level(stream).absent = problem
	r.settle()
}

// unreadable returns a shortage that also records whether stored calls and results cannot be
// read. The caller holds mu.
func (r *room) unreadable(s *Shortage) *Shortage {
	if s == nil {
		return nil
	}
	marked := *s
	for _, stream := range []string{Once, Results} {
		if l := r.streams[stream]; l != nil && l.absent != "" {
			marked.gone = true
		}
	}
	return &marked
}
