package durable

import (
	"strings"
	"testing"
)

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list []string
		name string
		want bool
	}{
		{nil, "a", true}, {[]string{}, "a", false}, {[]string{"a"}, "a", true}, {[]string{"a"}, "ab", false}, {[]string{"a*"}, "ab", true},
		{[]string{"b", "a.*"}, "a.b", true}, {[]string{"a.*"}, "ab", false}, {[]string{"*"}, "x", true}, {[]string{"a*b"}, "acb", false},
	} {
		if got := Covers(tt.list, tt.name); got != tt.want {
			t.Errorf("Covers(%q, %q) = %v", tt.list, tt.name, got)
		}
	}
}

func TestCheckTools(t *testing.T) {
	t.Parallel()
	if got := CheckTools([]string{"a", "a.b", "a_*", "a.*", "*"}); got != nil {
		t.Errorf("a good list has the problems %q", got)
	}
	for _, tt := range []struct {
		list []string
		want string
	}{
		{[]string{"a", "a"}, "there already"}, {[]string{""}, "neither"}, {[]string{"a*b"}, "neither"}, {[]string{"a b"}, "neither"},
		{make([]string, MostTools+1), "at most"},
	} {
		if got := CheckTools(tt.list); len(got) != 1 || !strings.Contains(got[0], tt.want) {
			t.Errorf("CheckTools(%q) = %q, want %s", tt.list, got, tt.want)
		}
	}
}
