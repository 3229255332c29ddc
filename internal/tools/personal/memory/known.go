package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxKept bounds the vectors of a person that are kept in the memory of the worker. Of a
	// person with more, each call reads those of the newest maxVectors memories.
	maxKept = 20_000
	// overlap is the time before the newest vector in which others may still appear: the
	// longest call, and the difference between the clocks of two workers.
	overlap = 5 * time.Minute
	// entrySize is counted for each vector in addition to its numbers.
	entrySize = 300
)

// vectorCache holds the vectors of a person in the memory of a worker. A vector is stored once and
// never changed, so the kept ones are current if they have the number of the stored ones.
type vectorCache struct {
	mu     sync.Mutex
	rows   map[string]vector // by the ids of rows
	list   []vector          // those of rows
	newest time.Time
}

// knownVectors returns the stored vectors of a model.
func knownVectors(ctx context.Context, call *tool.Call, model string) ([]vector, error) {
	const key = "memories"
	k, _ := call.Cache.Load(key, func() any { return &vectorCache{rows: map[string]vector{}} }).(*vectorCache)
	all, err := k.refresh(ctx, call.Store)
	if err != nil {
		return nil, err
	}
	if all == nil || !call.Cache.Size(key, k, bytesOf(all)) {
		return readVectors(ctx, call.Store, model)
	}
	return slices.DeleteFunc(slices.Clone(all), func(v vector) bool { return v.Model != model }), nil
}

// readVectors reads the vectors of the newest memories from the store.
func readVectors(ctx context.Context, s tool.Store, model string) (list []vector, err error) {
	q := tool.Query{Where: []tool.Condition{tool.Where("model", tool.Equal, model)}, Limit: tool.MaxPage}
	for len(list) < maxVectors {
		page, err := vectors.Query(ctx, s, q)
		if err != nil {
			return nil, err
		}
		for _, r := range page.List {
			list = append(list, r.Value)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	return list, nil
}

// refresh reads the vectors that were stored since the last time, or all if others were
// deleted. It returns nil if there are too many to keep.
func (k *vectorCache) refresh(ctx context.Context, s tool.Store) ([]vector, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.add(ctx, s); err != nil {
		return nil, err
	}
	stored, err := countVectors(ctx, s)
	if err != nil {
		return nil, err
	}
	if len(k.rows) != stored {
		k.rows, k.list, k.newest = map[string]vector{}, nil, time.Time{}
		if stored > maxKept {
			return nil, nil
		}
		if err := k.add(ctx, s); err != nil {
			return nil, err
		}
	}
	return slices.Clip(k.list), nil
}

// add reads the vectors that are stored and not kept, at most maxKept.
func (k *vectorCache) add(ctx context.Context, s tool.Store) error {
	q := tool.Query{Order: []tool.Order{{Field: tool.FieldCreated}}, Limit: tool.MaxPage}
	if !k.newest.IsZero() {
		q.Where = []tool.Condition{tool.Where(tool.FieldCreated, tool.GreaterEqual, k.newest.Add(-overlap))}
	}
	for len(k.rows) <= maxKept {
		page, err := vectors.Query(ctx, s, q)
		if err != nil {
			return err
		}
		for _, r := range page.List {
			if _, known := k.rows[r.ID]; known {
				continue
			}
			k.rows[r.ID], k.list = r.Value, append(k.list, r.Value)
			if r.CreatedAt.After(k.newest) {
				k.newest = r.CreatedAt
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
	return nil
}

func countVectors(ctx context.Context, s tool.Store) (int, error) {
	groups, err := s.Aggregate(ctx, vectors.Shape(), tool.AggregateQuery{})
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return groups[0].Count, nil
}

func bytesOf(list []vector) (n int64) {
	for _, v := range list {
		n += int64(len(v.Vector)) + entrySize
	}
	return n
}
