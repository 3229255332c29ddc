package services

import (
	"testing"
)

// TestAwaitsAVersion: a reader that is behind waits until it has the version that is stored.
func TestAwaitsAVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := &Reader{Keys: w.Keys, Registry: w.Registry}
	place := at("", "model", DefaultLabel)
	for _, key := range []string{"first", "second"} {
		w.set("", "model", DefaultLabel, key)
		version, err := w.Version(t.Context(), place)
		if err != nil || version == "" {
			t.Fatalf("version = %q, %v", version, err)
		}
		value, err := w.bucket.Get(t.Context(), keyOf(place))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for waits := false; !waits; {
				r.mu.Lock()
				waits = r.changed != nil
				r.mu.Unlock()
			}
			r.Change(keyOf(place), value)
		}()
		r.Await(t.Context(), place, version)
		if got := get(t, r, "acme", "", "model"); got != "default:"+key+";" {
			t.Errorf("after the wait there is %s, want %s", got, key)
		}
	}
	if version, err := w.Version(t.Context(), at("ann", "model", DefaultLabel)); version != "" || err != nil {
		t.Errorf("version of nothing = %q, %v", version, err)
	}
	r.Await(t.Context(), at("ann", "model", DefaultLabel), "") // there is nothing to wait for
}
