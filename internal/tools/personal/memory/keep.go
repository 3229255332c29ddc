package memory

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

// keeper stores new memories of one call, and merges duplicates into those that are
// stored already or were stored by the same call.
type keeper struct {
	store tool.Store
	now   time.Time
	byKey map[string]tool.Record[stored]
	// meanings is nil if memories are compared by their words alone.
	meanings *meanings
	texts    map[string][]byte // vectors by key
}

// newKeeper returns a keeper for these memories. It reads the stored memories that they
// are duplicates of. Of two calls that store the same memory together the second runs
// again, and finds it.
func newKeeper(ctx context.Context, call *tool.Call, values []stored) (*keeper, error) {
	k := &keeper{store: call.Store, now: call.Clock.Now(), byKey: map[string]tool.Record[stored]{}}
	keys := make([]string, len(values))
	for i := range values {
		keys[i] = values[i].Key
		if keys[i] == "" { // a wrong item
			continue
		}
		if err := call.Store.Touch(ctx, bucket(keys[i])); err != nil { // before the query
			return nil, err
		}
	}
	q := tool.Query{
		Where: []tool.Condition{tool.Where("key", tool.In, keys)},
		Order: []tool.Order{{Field: tool.FieldCreated}},
		Limit: tool.MaxPage,
	}
	found, err := memories.Query(ctx, call.Store, q)
	if err != nil {
		return nil, err
	}
	for _, r := range found.List {
		if _, older := k.byKey[r.Value.Key]; !older {
			k.byKey[r.Value.Key] = r
		}
	}
	return k, k.embed(ctx, call, values)
}

// embed reads the meanings of the memories.
func (k *keeper) embed(ctx context.Context, call *tool.Call, values []stored) error {
	var keys, texts []string
	for _, v := range values {
		if v.Key != "" {
			keys, texts = append(keys, v.Key), append(texts, v.Content)
		}
	}
	m, err := meaningsOf(ctx, call, texts)
	if m == nil || err != nil {
		return err
	}
	k.meanings, k.texts = m, map[string][]byte{}
	for i, key := range keys {
		k.texts[key] = m.texts[i]
	}
	return nil
}

// twin returns the memory that a new one is a duplicate of.
func (k *keeper) twin(ctx context.Context, v stored) (tool.Record[stored], bool, error) {
	r, ok := k.byKey[v.Key]
	if ok || k.meanings == nil {
		return r, ok, nil
	}
	near := k.meanings.near(k.texts[v.Key], same, 1)
	if len(near) == 0 {
		return tool.Record[stored]{}, false, nil
	}
	r, err := memories.Get(ctx, k.store, near[0])
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return tool.Record[stored]{}, false, nil
	}
	return r, err == nil, err
}

// keep stores a memory, or merges it into the memory that it is a duplicate of: that has
// the tags of both then and the higher importance, and was accessed. It reports whether it
// merged.
func (k *keeper) keep(ctx context.Context, v stored) (r tool.Record[stored], merged bool, err error) {
	if r, merged, err = k.twin(ctx, v); err != nil {
		return r, false, err
	}
	if merged {
		r.Value.Tags = union(r.Value.Tags, v.Tags)
		r.Value.set(max(r.Value.Importance, v.Importance), k.now)
		r, err = memories.Update(ctx, k.store, r)
	} else {
		r, err = memories.Insert(ctx, k.store, v)
	}
	if err != nil {
		return r, merged, err
	}
	k.byKey[v.Key], k.byKey[r.Value.Key] = r, r
	if k.meanings != nil && r.Value.Key == v.Key {
		err = k.meanings.add(ctx, k.store, r.ID, k.texts[v.Key])
	}
	return r, merged, err
}

// bucket returns the name that calls touch which store a memory of a key. There are 4096,
// so that few calls wait for each other, and their number does not grow.
func bucket(key string) string { return "memories_" + key[:3] }
