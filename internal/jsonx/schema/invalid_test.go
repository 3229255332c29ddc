package schema

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestInvalidError(t *testing.T) {
	problems := func(n int) (p []string) {
		for i := range n {
			p = append(p, fmt.Sprintf("p%d", i))
		}
		return p
	}
	tests := []struct {
		name string
		err  *Invalid
		want string
	}{
		{"one", &Invalid{Problems: problems(1)}, "p0"},
		{"three", &Invalid{Problems: problems(3)}, "p0; p1; p2"},
		{"ten", &Invalid{Problems: problems(10)}, "p0; p1; p2; p3; p4; p5; p6; p7; p8; p9"},
		{"twelve", &Invalid{Problems: problems(12)}, "p0; p1; p2; p3; p4; p5; p6; p7; p8; p9; and 2 more"},
		{"twelve, kept ten", invalidAll(problems(12)), "p0; p1; p2; p3; p4; p5; p6; p7; p8; p9; and 2 more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("Error() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestClip(t *testing.T) {
	for _, text := range []string{
		"", "short", strings.Repeat("a", 60), strings.Repeat("a", 61), strings.Repeat("€", 100), "a" + strings.Repeat("€", 100),
		"ab" + strings.Repeat("€", 100),
	} {
		got := clip(text)
		if len(got) > maxEcho || !utf8.ValidString(got) {
			t.Errorf("clip(%q) = %q: too long or cut within a character", text, got)
		}
		if len(text) <= maxEcho && got != text {
			t.Errorf("clip(%q) = %q, want it unchanged", text, got)
		}
	}
}
