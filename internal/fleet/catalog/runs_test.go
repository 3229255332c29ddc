package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/lib/nearest"
	"github.com/helve-dev/helve/tool"
)

// TestStrict compares the index with its definition: a tool is found if each word occurs
// anywhere in its texts, with the weight of the most important place.
func TestStrict(t *testing.T) {
	t.Parallel()
	defs := []*tool.Definition{
		{Name: "read_file", Description: "Read a text file; what's in it.", Category: "File System", Tags: []string{"open", "two words"}},
		{
			Name:        "listPullRequests",
			Description: "List pull requests (merge_requests), äöü-Größe 3D.",
			Category:    "Git & Co",
			Tags:        []string{"PR", "gitPullList"},
		},
		{Name: "pull", Description: "", Category: "", Tags: nil},
		{Name: "a.b_c", Description: "read read", Category: "x", Tags: []string{"read"}},
	}
	x := newIndex(defs)
	queries := []string{
		"", "pull", "ead", "read file", "lpu", "pull request", "äö", "größe", "3d", "read_file", "list pull co", "zz", "merge requests", "whats",
		"a", "a b c", "pull pull", "two words", "owords",
	}
	for _, query := range queries {
		split := words(query)
		var want []scored
		for i, def := range defs {
			text := strings.ToLower(strings.Join(append([]string{def.Name, def.Description, def.Category}, def.Tags...), "\n"))
			tags := strings.ToLower(strings.Join(def.Tags, "\n"))
			sum := 0.0
			if x.docs[i].name == query {
				sum = 1000
			}
			if slices.ContainsFunc(split, func(word string) bool { return !strings.Contains(text, word) }) {
				continue
			}
			for _, word := range split {
				p := inTheText
				if strings.Contains(tags, word) {
					p = inATag
				}
				if strings.Contains(x.docs[i].name, word) {
					p = inTheName
				}
				sum += p.score(word, x.docs[i].name)
			}
			want = append(want, scored{def, sum})
		}
		got := x.strict(query, split)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(scored{}), cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("strict(%q) (-want +got):\n%s", query, diff)
		}
	}
}

// TestFirst: the first results are those of the whole list, sorted.
func TestFirst(t *testing.T) {
	t.Parallel()
	var list []scored
	for i := range 500 {
		list = append(list, scored{&tool.Definition{Name: strings.Repeat("x", i*7%90)}, float64(i * 13 % 50)})
	}
	sorted := slices.SortedFunc(slices.Values(list), before)
	for _, n := range []int{0, 1, 7, 100, 101, 500} {
		got := first(slices.Clone(list), n)
		if len(got) != n {
			t.Fatalf("first(%d) has %d results", n, len(got))
		}
		for i := range got {
			if before(got[i], sorted[i]) != 0 {
				t.Errorf("first(%d)[%d] is %v, want %v", n, i, got[i], sorted[i])
			}
		}
	}
}

// TestVocabularyNear: no word within the distance is left out by its letters or its length.
func TestVocabularyNear(t *testing.T) {
	t.Parallel()
	stems := map[string]string{}
	for _, word := range []string{
		"release", "relaese", "releases", "lease", "please", "realise", "r3lease", "rlase", "release1x", "ab", "0p0p", "größe",
	} {
		stems[word] = word
	}
	v := newVocabulary(stems)
	for _, limit := range []int{0, 1, 2} {
		for word := range stems {
			want, got := map[string]int{}, map[string]int{}
			for other := range stems {
				if d := nearest.Distance(word, other, 9); d <= limit {
					want[other] = d
				}
			}
			v.near(word, 0, limit, func(f form, d int) int {
				got[f.word] = d
				return limit
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("near(%s, %d) (-want +got):\n%s", word, limit, diff)
			}
		}
	}
}
