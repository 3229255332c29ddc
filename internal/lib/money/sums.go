package money

import (
	"maps"
	"slices"

	"github.com/helve-dev/helve/tool"
)

// Sums adds amounts by a key, such as their currency. The zero value is ready to use.
type Sums struct{ by map[string]Amount }

// Add adds an amount under a key.
func (s *Sums) Add(key string, a Amount) {
	if s.by == nil {
		s.by = map[string]Amount{}
	}
	s.by[key] = s.by[key].Add(a)
}

// Of returns the sum under a key.
func (s *Sums) Of(key string) Amount { return s.by[key] }

// Keys returns the keys, the greatest sum first, equal ones by name.
func (s *Sums) Keys() []string {
	return slices.SortedFunc(maps.Keys(s.by), func(a, b string) int {
		if c := s.by[b].Compare(s.by[a]); c != 0 {
			return c
		}
		if a < b {
			return -1
		}
		return 1
	})
}

// Numbers returns the sums as JSON numbers.
func (s *Sums) Numbers() map[string]tool.Number {
	all := make(map[string]tool.Number, len(s.by))
	for key, a := range s.by {
		all[key] = a.Number()
	}
	return all
}
