package services

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

type noKeys = vault.None

// stopping is a bucket whose process is killed at a change.
type stopping struct {
	Bucket
	left int
}

var errKilled = errors.New("killed")

func (b *stopping) Replace(ctx context.Context, key string, old, value []byte) error {
	if b.left--; b.left < 0 {
		return errKilled
	}
	return b.Bucket.Replace(ctx, key, old, value)
}

// Entries are readable before, in the middle of and after a rotation, also after a kill;
// the old key is needed until the rotation is done, and then no longer.
func TestRotate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, user := range []string{"", "ann", "bob", "cy"} {
		w.set(user, "model", "default", "k-"+user)
	}
	next, err := vault.Generate()
	if err != nil {
		t.Fatal(err)
	}
	both, only := w.keys(next+"\n"+w.text), w.keys(next)
	readable := func(keys vault.Wrapper) (n int) {
		r, _ := w.reader(keys, nil)
		for _, user := range []string{"", "ann", "bob", "cy"} {
			entries, err := r.For("acme", "").Entries(t.Context(), "model")
			if user != "" {
				entries, err = r.read(t.Context(), group{"acme", user, "model"}, tool.Service{})
			}
			if err == nil && len(entries) == 1 && entries[0].Data["api_key"] == "k-"+user {
				n++
			}
		}
		return n
	}
	killed := &Store{Bucket: &stopping{w.bucket, 2}, Keys: both, Registry: w.Registry}
	if _, err := killed.Rotate(t.Context()); !errors.Is(err, errKilled) {
		t.Fatalf("Rotate = %v", err)
	}
	if n := readable(both); n != 4 {
		t.Errorf("in the middle %d of 4 are readable", n)
	}
	if n := readable(only); n != 2 {
		t.Errorf("in the middle %d are readable with the new key alone, want 2", n)
	}
	s := &Store{Bucket: w.bucket, Keys: both, Registry: w.Registry}
	state, err := s.State(t.Context())
	if err != nil || state.Entries != 4 || state.Old != 2 || state.Lost != 0 {
		t.Errorf("State = %+v, %v", state, err)
	}
	done, err := s.Rotate(t.Context())
	if err != nil || done.Rotated != 2 || done.Left != 0 || done.KeyID != state.Current {
		t.Errorf("Rotate = %+v, %v", done, err)
	}
	if n := readable(only); n != 4 {
		t.Errorf("%d of 4 are readable with the new key alone", n)
	}
	if done, err := s.Rotate(t.Context()); err != nil || done.Rotated != 0 {
		t.Errorf("Rotate again = %+v, %v", done, err)
	}
}

// Changes during a rotation are kept.
func TestSetDuringRotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, label := range []string{"a", "b", "c", "d"} {
		w.set("", "model", label, "old")
	}
	next, err := vault.Generate()
	if err != nil {
		t.Fatal(err)
	}
	both := &Store{Bucket: w.bucket, Keys: w.keys(next + "\n" + w.text), Registry: w.Registry}
	var all sync.WaitGroup
	for _, label := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			if _, err := both.Set(t.Context(), at("", "model", label), protocol.ServiceSet{Fields: fields("api_key", `"new"`)}, "root",
				granted); err != nil {
				t.Error(err)
			}
		})
	}
	all.Go(func() {
		if _, err := both.Rotate(t.Context()); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	r, _ := w.reader(w.keys(next), nil)
	if got := get(t, r, "acme", "", "model"); got != "a:new;b:new;c:new;d:new;" {
		t.Errorf("Entries = %s", got)
	}
}

// With a lost or wrong key, calls get an error that names the key, and nothing else
// breaks.
func TestLostKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("", "model", "default", "tenants")
	w.set("ann", "model", "default", "anns")
	id, _ := w.Keys.Current(t.Context())
	wrong, err := vault.Generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string]vault.Wrapper{"wrong": w.keys(wrong), "none": vault.None{}, "unset": nil} {
		r, logs := w.reader(keys, nil)
		want := "by the master key " + id
		if name != "wrong" {
			want = "no master key is configured"
		}
		for range 3 {
			_, err := r.For("acme", "ann").Entries(t.Context(), "model")
			if e := tool.AsError(err); e == nil || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, want) {
				t.Errorf("%s: Entries = %v", name, err)
			}
		}
		if n := logs.FilterMessage("service entry not decrypted").Len(); n != 1 {
			t.Errorf("%s: %d log lines", name, n)
		}
		if entries, err := r.For("acme", "ann").Entries(t.Context(), "danger"); err != nil || len(entries) != 0 {
			t.Errorf("%s: another service = %v, %v", name, entries, err)
		}
	}
	s := &Store{Bucket: w.bucket, Keys: w.keys(wrong), Registry: w.Registry}
	if done, err := s.Rotate(t.Context()); err != nil || done.Left != 2 || done.Rotated != 0 {
		t.Errorf("Rotate = %+v, %v", done, err)
	}
	if state, err := s.State(t.Context()); err != nil || state.Lost != 2 {
		t.Errorf("State = %+v, %v", state, err)
	}
	if list, err := s.List(t.Context(), "acme", Filter{All: true}); err != nil || len(list) != 2 || list[0].KeyID != id {
		t.Errorf("List = %v, %v", list, err)
	}
	if _, err := s.Set(t.Context(), at("", "model", "default"), protocol.ServiceSet{Merge: true, Fields: fields("tokens", "1")}, "root",
		granted); tool.AsError(err).Kind != tool.NotConfigured {
		t.Errorf("Set of a field = %v", err)
	}
	if _, err := s.Set(t.Context(), at("", "model", "default"), protocol.ServiceSet{Fields: fields("api_key", `"again"`)}, "root",
		granted); err != nil {
		t.Errorf("Set of the whole entry = %v", err)
	}
}
