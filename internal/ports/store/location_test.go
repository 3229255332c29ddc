package store

import (
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	for text, want := range map[string]Options{
		"postgres://helve@db/helve":    {URL: "postgres://helve@db/helve"},
		"postgresql://helve@db/helve":  {URL: "postgresql://helve@db/helve"},
		"sqlite:///srv/a%20b/store.db": {Dir: "/srv/a b"},
		"/srv/data":                    {Dir: "/srv/data"},
	} {
		if got, err := Locate(text); got.URL != want.URL || got.Dir != want.Dir || err != nil {
			t.Errorf("Locate(%s) = %s %s, %v", text, got.URL, got.Dir, err)
		}
	}
	for _, text := range []string{"", "sqlite://store.db", "sqlite:///srv/other.db", "mysql://x/y", "postgres:/x://"} {
		if _, err := Locate(text); err == nil || !strings.Contains(err.Error(), "sqlite:///DIR/store.db") {
			t.Errorf("Locate(%q) = %v, want the forms", text, err)
		}
	}
}
