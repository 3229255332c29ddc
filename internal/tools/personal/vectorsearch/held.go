package vectorsearch

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/lib/vector"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// held is a collection in the memory of a worker.
type held struct {
	mu     sync.Mutex
	marker marker
	index  *vector.Index // nil until it is loaded
	// logs are the ids of log entries that have been applied, and newest is the time of
	// the newest entry or row.
	logs   map[string]bool
	newest time.Time
}

const (
	// overlap is the time before the newest entry in which others may still appear: the
	// longest call, and the difference between the clocks of two workers.
	overlap = 5 * time.Minute
	// maxChanges is the number of changes from which the collection is loaded instead.
	maxChanges = 2000
)

var errNoRoom = errors.New("the collection does not fit the cache")

// search returns the nearest vectors by the ids of their rows. Marks is called with the
// marker of the vectors that are searched.
func search(
	ctx context.Context, call *tool.Call, c tool.Record[stored], q vector.Query, marks func(marker) ([]uint64, error),
) ([]vector.Match, error) {
	key := "vectors/" + c.ID
	h, _ := call.Cache.Load(key, func() any { return &held{marker: newMarker()} }).(*held)
	if h == nil {
		return scan(ctx, call, c, q, marks)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.refresh(ctx, call, c, key)
	if errors.Is(err, errNoRoom) {
		call.Note("The collection is too large for the memory of the worker (store.cache_bytes), so it was read from the database.")
		return scan(ctx, call, c, q, marks)
	}
	if err != nil {
		return nil, err
	}
	if q.Marks, err = marks(h.marker); err != nil {
		return nil, err
	}
	return h.index.Search(q), nil
}

// scan searches the rows in the database, a page at a time.
func scan(
	ctx context.Context, call *tool.Call, c tool.Record[stored], q vector.Query, marks func(marker) ([]uint64, error),
) ([]vector.Match, error) {
	m := newMarker()
	var err error
	if q.Marks, err = marks(m); err != nil {
		return nil, err
	}
	var best []vector.Match
	var scratch []float32
	err = eachRow(ctx, call, c, func(page []tool.Row) (err error) {
		index := vector.NewIndex(c.Value.Metric, c.Value.Dimensions)
		for _, r := range page {
			if scratch, err = m.put(index, scratch, r); err != nil {
				return err
			}
		}
		best = vector.Best(append(best, index.Search(q)...), q.K)
		return nil
	})
	return best, err
}

// refresh applies what has changed since the last search, or loads the collection.
func (h *held) refresh(ctx context.Context, call *tool.Call, c tool.Record[stored], key string) error {
	q := tool.Query{Limit: tool.MaxPage}
	if !h.newest.IsZero() {
		q.Where = []tool.Condition{tool.Where(tool.FieldCreated, tool.GreaterEqual, h.newest.Add(-overlap))}
	}
	entries, err := call.Store.Query(ctx, logOf(c), q)
	if err != nil {
		return err
	}
	changed, newest, err := h.unseen(entries.Rows)
	if err != nil {
		return err
	}
	old := h.newest
	if h.index == nil || old.IsZero() || entries.Next != "" || len(changed) > maxChanges || newest.Sub(old) > logAge-time.Hour {
		h.index, h.newest = nil, time.Time{}
		if err := h.load(ctx, call, c, key); err != nil {
			h.index = nil
			return err
		}
	} else if err := h.apply(ctx, call, c, changed); err != nil {
		return err
	}
	h.index.Sketch()
	h.logs = map[string]bool{}
	for _, e := range entries.Rows {
		h.logs[e.ID] = true
	}
	if newest.After(h.newest) {
		h.newest = newest
	}
	if !call.Cache.Size(key, h, h.index.Bytes()) {
		h.index = nil
		return errNoRoom
	}
	return nil
}

// unseen returns the rows that entries name which were not applied yet, and the time of the
// newest entry.
func (h *held) unseen(entries []tool.Row) (rows []string, newest time.Time, err error) {
	for _, e := range entries {
		if e.CreatedAt.After(newest) {
			newest = e.CreatedAt
		}
		if h.logs[e.ID] {
			continue
		}
		var doc struct {
			Rows []string `json:"rows"`
		}
		if err := json.Unmarshal(e.Doc, &doc); err != nil {
			return nil, newest, unreadable(err)
		}
		rows = append(rows, doc.Rows...)
	}
	return rows, newest, nil
}

// load reads all rows, if there is room for them.
func (h *held) load(ctx context.Context, call *tool.Call, c tool.Record[stored], key string) error {
	rows, err := count(ctx, call, c)
	if err != nil {
		return err
	}
	if !call.Cache.Size(key, h, vector.Estimate(rows, c.Value.Dimensions)) {
		return errNoRoom
	}
	h.index = vector.NewIndex(c.Value.Metric, c.Value.Dimensions)
	var scratch []float32
	// A page is read while the vectors of the one before are decoded.
	pages := make(chan []tool.Row, 1)
	g, _ := gopool.WithContext(ctx, 1)
	g.Go(func() error {
		defer func() {
			for range pages { // only after a panic: the reader must not wait
			}
		}()
		var err error
		for page := range pages {
			for _, r := range page {
				if err != nil {
					break
				}
				scratch, err = h.marker.put(h.index, scratch, r)
				if r.CreatedAt.After(h.newest) {
					h.newest = r.CreatedAt
				}
			}
		}
		return err
	})
	err = eachRow(ctx, call, c, func(page []tool.Row) error {
		pages <- page
		return nil
	})
	close(pages)
	return errors.Join(g.Wait(), err)
}

// apply reads rows again. Those that are gone are removed.
func (h *held) apply(ctx context.Context, call *tool.Call, c tool.Record[stored], ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := rowsByID(ctx, call, c, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		h.index.Remove(id)
	}
	var scratch []float32
	for _, r := range rows {
		if scratch, err = h.marker.put(h.index, scratch, r); err != nil {
			h.index = nil // it lacks rows
			return err
		}
	}
	return nil
}
