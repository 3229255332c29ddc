package catalogsync

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// FollowTools fills cat with the registered tools and follows changes, until ctx ends.
// It returns when all current definitions are in cat. A definition that cannot be used
// is logged and left out.
func FollowTools(ctx context.Context, q *queue.Queue, cat *catalog.Catalog, log *zap.Logger) error {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		return err
	}
	f := &toolFollower{cat: cat, log: log, news: make(chan struct{}, 1)}
	if err := bucket.Follow(ctx, f.note); err != nil {
		return err
	}
	f.apply()
	go func() {
		for {
			select {
			case <-f.news:
				f.apply()
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

// toolFollower applies changes of definitions together if they come together: each change
// of a catalogue copies it, and a document may bring thousands.
type toolFollower struct {
	cat  *catalog.Catalog
	log  *zap.Logger
	news chan struct{}

	mu      sync.Mutex
	pending []change
}

// change is a new value of a definition, nil if it was deleted.
type change struct {
	name  string
	value []byte
}

func (f *toolFollower) note(name string, value []byte) {
	f.mu.Lock()
	f.pending = append(f.pending, change{name, value})
	f.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

func (f *toolFollower) apply() {
	f.mu.Lock()
	list := f.pending
	f.pending = nil
	f.mu.Unlock()
	if len(list) == 0 {
		return
	}
	f.cat.Edit(func(put func(tool.Definition) error, remove func(string)) {
		for _, c := range list {
			if c.value == nil {
				remove(c.name)
				continue
			}
			if err := putDefinition(c, put); err != nil {
				f.log.Warn("registered tool not usable", zap.String("tool", c.name), zap.Error(err))
			}
		}
	})
}

func putDefinition(c change, put func(tool.Definition) error) error {
	var def tool.Definition
	if err := json.Unmarshal(c.value, &def); err != nil {
		return err
	}
	if def.Name != c.name {
		return fmt.Errorf("the definition is of %q", def.Name) // the key is the name in a deletion
	}
	return put(def)
}
