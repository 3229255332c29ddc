package textdiff

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// longestCommon is the length of the longest common part, by the plain table.
func longestCommon(a, b []string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			} else {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			}
		}
	}
	return table[len(a)][len(b)]
}

// kept lists the units that are not marked.
func kept(units []string, marks []bool) []string {
	var rest []string
	for i, unit := range units {
		if !marks[i] {
			rest = append(rest, unit)
		}
	}
	return rest
}

func checkDiff(t *testing.T, a, b []string) {
	t.Helper()
	d, err := Units(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	common := kept(a, d.Removed)
	if !slices.Equal(common, kept(b, d.Added)) {
		t.Fatalf("of %q and %q not the same is kept: %q and %q", a, b, common, kept(b, d.Added))
	}
	if want := longestCommon(a, b); len(common) != want {
		t.Fatalf("of %q and %q %d units are common, want %d", a, b, len(common), want)
	}
}

func TestDiffIsShortest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		units := func() []string {
			all := make([]string, random.IntN(25))
			alphabet := 1 + random.IntN(6)
			for i := range all {
				all[i] = strconv.Itoa(random.IntN(alphabet))
			}
			return all
		}
		checkDiff(t, units(), units())
	}
}

// Without patience the common part need not be the longest, but it is common.
func TestDiffWithoutPatience(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for patience := range 4 {
		for range 500 {
			units := func() []string {
				all := make([]string, random.IntN(60))
				for i := range all {
					all[i] = strconv.Itoa(random.IntN(3))
				}
				return all
			}
			a, b := units(), units()
			d, err := patiently(t.Context(), a, b, patience)
			if err != nil {
				t.Fatal(err)
			}
			if left, right := kept(a, d.Removed), kept(b, d.Added); !slices.Equal(left, right) {
				t.Fatalf("of %q and %q not the same is kept: %q and %q", a, b, left, right)
			}
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("abcabba", "cbabac")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) < 300 && len(b) < 300 {
			checkDiff(t, strings.Split(a, ""), strings.Split(b, ""))
		}
	})
}

// On texts that are long and differ everywhere the common part need not be the
// longest, but it is common, and large.
func TestCoarseDiff(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	units := func() []string {
		all := make([]string, 200_000)
		for i := range all {
			all[i] = strconv.Itoa(random.IntN(4))
		}
		return all
	}
	a, b := units(), units()
	d, err := Units(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	common := kept(a, d.Removed)
	if !d.Coarse || !slices.Equal(common, kept(b, d.Added)) || len(common) < len(a)/2 {
		t.Errorf("coarse %t, %d of %d units kept", d.Coarse, len(common), len(a))
	}
}
