package nearest

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("ab", room)
	for _, tt := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"", "", 3, 0},
		{"", "abc", 3, 3},
		{"same", "same", 0, 0},
		{"limit", "limits", 2, 1},
		{"kitten", "sitting", 5, 3},
		{"wether", "weather", 2, 1},
		{"clacualte", "calculate", 2, 2},
		{"tpyo", "typo", 2, 1},     // a swap is one step
		{"ca", "abc", 5, 3},        // no byte is moved twice
		{"a", "abcdef", 2, 3},      // the lengths alone exceed the limit
		{"abcdef", "uvwxyz", 2, 3}, // so does every way
		{long, long + "x", 3, 1},
		{long, "x" + long[1:], 3, 1},
	} {
		if got := Distance(tt.a, tt.b, tt.limit); got != tt.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", tt.a, tt.b, tt.limit, got, tt.want)
		}
		if got := Distance(tt.b, tt.a, tt.limit); got != tt.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", tt.b, tt.a, tt.limit, got, tt.want)
		}
	}
}

func TestDistanceDoesNotAllocate(t *testing.T) {
	word := strings.Repeat("a", room)
	if n := testing.AllocsPerRun(10, func() { Distance(word, word, Most(word, word)) }); n != 0 {
		t.Errorf("Distance of words of %d bytes allocates %v times", room, n)
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("limit", "limti")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = a[:min(len(a), 100)], b[:min(len(b), 100)]
		exact := Distance(a, b, Most(a, b))
		if exact > Most(a, b) || (exact == 0) != (a == b) {
			t.Fatalf("Distance(%q, %q) = %d", a, b, exact)
		}
		for limit := range 4 {
			if got := Distance(a, b, limit); got != exact && (exact <= limit || got <= limit) {
				t.Errorf("Distance(%q, %q, %d) = %d, exactly it is %d", a, b, limit, got, exact)
			}
		}
	})
}
