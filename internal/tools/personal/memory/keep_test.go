package memory

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// TestKeepTogether: of two calls that store the same memory together, the second does not
// commit, so it runs again and merges.
func TestKeepTogether(t *testing.T) {
	for _, tt := range []struct {
		first, second string
		commits       bool
	}{
		{"Plays chess.", "plays chess", false},
		{"Plays chess.", "Plays the piano", true},
	} {
		db := tooltest.NewStore(t)
		var stores []*tooltest.Store
		for _, content := range []string{tt.first, tt.second} {
			s := db.For("default", "ann")
			call := &tool.Call{Store: s, Secrets: accounts{}, Clock: tooltest.Clock{T: monday}}
			v, err := input{Content: content, Type: "fact"}.new(monday)
			if err != nil {
				t.Fatal(err)
			}
			k, err := newKeeper(t.Context(), call, []stored{v})
			if err != nil {
				t.Fatal(err)
			}
			if _, merged, err := k.keep(t.Context(), v); merged || err != nil {
				t.Fatalf("keep(%q): merged %v, %v", content, merged, err)
			}
			stores = append(stores, s)
		}
		if err := stores[0].Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := stores[1].Commit(t.Context()); (err == nil) != tt.commits {
			t.Errorf("%q after %q: Commit = %v", tt.second, tt.first, err)
		}
	}
}
