package store

import (
	"encoding/json"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestPlaces: ParsePlace reverses Key, and accepts no other key.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, p := range []Place{
		Own("acme", "ann", "adder"), Shared("acme", "adder"), Own("acme", "shared", "own"),
	} {
		if got, ok := ParsePlace(p.Key()); !ok || got != p {
			t.Errorf("%s is read as %+v, want %+v", p.Key(), got, p)
		}
	}
	for _, key := range []string{
		"", "acme", "acme.adder", "acme.own.adder", "acme.other.ann.adder", "acme.own.ann.b.adder", "acme.shared.Big", "acme.shared.ann.adder", "acme.",
	} {
		if got, ok := ParsePlace(key); ok {
			t.Errorf("%q is read as %+v", key, got)
		}
	}
}

// TestDecode: the key names the owner of a tool, whatever the value contains.
func TestDecode(t *testing.T) {
	t.Parallel()
	value := func(name, owner, maker string) []byte {
		data, err := json.Marshal(Entry{
			Definition: tool.Definition{Name: name}, Tool: tool.CustomTool{Name: name, Owner: owner, CreatedBy: maker},
		})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, tt := range []struct {
		key, owner, maker, want string
		fails                   bool
	}{
		{"acme.own.ann.adder", "bob", "bob", "ann", false},
		{"acme.adder", "", "ann", "", true},
		{"acme.shared.adder", "ann", "bob", "ann", false},
		{"acme.shared.adder", "", "bob", "", true},
		{"acme.own.ann.other", "ann", "ann", "", true},
	} {
		e, _, err := Decode(tt.key, value("adder", tt.owner, tt.maker))
		if (err != nil) != tt.fails || err == nil && e.Tool.Owner != tt.want {
			t.Errorf("%s of %q made by %q: %+v, %v, want the owner %q", tt.key, tt.owner, tt.maker, e, err, tt.want)
		}
	}
}
