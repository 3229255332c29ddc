package catalogsync

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/tool"
)

const (
	// absentLook is the interval at which a worker compares the definitions with the
	// live workers. It reads all of them.
	absentLook = 10 * time.Minute
	// absentEnd bounds one comparison.
	absentEnd = time.Minute
	// absentKept is the time for which a definition without a live worker is kept.
	absentKept = 24 * time.Hour
)

// Workers reports which tools live workers have.
type Workers interface {
	// Offered reports whether a live worker has a tool of a pool.
	Offered(pool, name string) bool
}

// Sweeper removes definitions from the catalogue that no live worker has had for a day.
//
// The time since when is stored with the definition, so that it survives the processes.
// A worker that returns stores its definition again, which removes the mark. Workers
// sweep, because a dispatcher's credential cannot write definitions.
type Sweeper struct {
	bucket  *natsio.Bucket
	workers Workers
	log     *zap.Logger
	// seen are definitions that lacked a worker at the last comparison too: one
	// comparison may run in the middle of a restart.
	seen map[string]bool
}

// NewSweeper returns a sweeper of the catalogue.
func NewSweeper(ctx context.Context, q *queue.Queue, workers Workers, log *zap.Logger) (*Sweeper, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		return nil, err
	}
	return &Sweeper{bucket: bucket, workers: workers, log: log, seen: map[string]bool{}}, nil
}

// Run compares at intervals until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
	tick := time.NewTicker(absentLook)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		bounded, cancel := context.WithTimeout(ctx, absentEnd)
		if err := s.Look(bounded, time.Now()); err != nil && ctx.Err() == nil {
			s.log.Warn("definitions without workers not looked for; trying again", zap.Error(err))
		}
		cancel()
	}
}

// markedDefinition is a definition in the catalogue.
type markedDefinition struct {
	Name    string `json:"name"`
	Pool    string `json:"pool"`
	Kind    string `json:"kind"`
	Enabled bool   `json:"enabled"`
	// AbsentSince is the time when a worker first found that no live worker has the
	// tool. It is the last member.
	AbsentSince *time.Time `json:"absent_since"`
}

// Look marks definitions that no live worker has, removes the mark of those that a live
// worker has, and removes those that were marked a day ago. If several workers do this
// concurrently, one of them changes a definition.
func (s *Sweeper) Look(ctx context.Context, now time.Time) error {
	values := map[string][]byte{}
	if err := s.bucket.Load(ctx, func(key string, value []byte) { values[key] = value }); err != nil {
		return err
	}
	seen := map[string]bool{}
	for name, value := range values {
		var def markedDefinition
		if json.Unmarshal(value, &def) != nil || def.Name != name || !def.Enabled || def.Kind == tool.KindDynamic || def.Kind == tool.KindRemote {
			continue
		}
		absent := !s.workers.Offered(def.Pool, name)
		seen[name] = absent
		if err := s.settle(ctx, value, &def, absent, now); err != nil {
			return err
		}
	}
	s.seen = seen
	return nil
}

func (s *Sweeper) settle(ctx context.Context, value []byte, def *markedDefinition, absent bool, now time.Time) error {
	switch {
	case !absent && def.AbsentSince != nil:
		return s.replace(ctx, def.Name, value, unmark(value))
	case !absent, !s.seen[def.Name]:
		return nil
	case def.AbsentSince == nil:
		return s.replace(ctx, def.Name, value, mark(value, now))
	case now.Sub(*def.AbsentSince) < absentKept:
		return nil
	}
	removed, err := s.bucket.DeleteIf(ctx, def.Name, value)
	if removed {
		s.log.Info("tool definition removed: no worker has had it for a day", zap.String("tool", def.Name), zap.String("pool", def.Pool))
	}
	return err
}

// replace stores a definition in place of value, unless it has been changed
// concurrently.
func (s *Sweeper) replace(ctx context.Context, name string, value, next []byte) error {
	if err := s.bucket.Replace(ctx, name, value, next); err != nil && !errors.Is(err, natsio.ErrExists) {
		return err
	}
	return nil
}

const absentMember = `,"absent_since":"`

// mark appends the mark to a definition. The rest stays byte for byte: it may have
// members that this version does not know.
func mark(value []byte, since time.Time) []byte {
	body := bytes.TrimSuffix(value, []byte("}"))
	return fmt.Appendf(bytes.Clone(body), `%s%s"}`, absentMember, since.UTC().Format(time.RFC3339))
}

// unmark removes the mark.
func unmark(value []byte) []byte {
	i := bytes.LastIndex(value, []byte(absentMember))
	if i < 0 {
		return value
	}
	return append(bytes.Clone(value[:i]), '}')
}
