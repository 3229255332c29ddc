package memory

import (
	"cmp"
	"slices"
)

// fuseRank dampens the lead of the first ranks: rank r of a list counts 1/(fuseRank+r).
const fuseRank = 60

// fuse returns the ids of all lists in one order, by reciprocal rank fusion: an id counts
// the sum of 1/(60+rank) over the lists, with ranks from 1. Ids that count the same have
// the order in which the lists name them first.
func fuse(lists ...[]string) []string {
	score := map[string]float64{}
	var ids []string
	for _, list := range lists {
		for i, id := range list {
			if _, seen := score[id]; !seen {
				ids = append(ids, id)
			}
			score[id] += 1 / float64(fuseRank+1+i)
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(score[b], score[a]) })
	return ids
}
