package memory

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/helve-dev/helve/tool"
)

type byType struct {
	Fact       int `json:"fact"`
	Preference int `json:"preference"`
	Event      int `json:"event"`
	Skill      int `json:"skill"`
}

type stats struct {
	Total             int     `json:"total" doc:"The sum of byType."`
	ByType            byType  `json:"byType"`
	AverageImportance float64 `json:"averageImportance" doc:"As it is now, after decay; 0 if there is no memory."`
	AddedThisWeek     int     `json:"addedThisWeek" doc:"How many are from the last 7 days."`
}

type statsResult struct {
	Message string `json:"message"`
	Stats   stats  `json:"stats"`
}

var _ = tool.Add(Set, tool.Spec[struct{}, *statsResult]{
	Name:         "memory_stats",
	Description:  "Count what is remembered about the person, in total and by type, and return that with the average importance.",
	Aliases:      []string{"get_memory_stats"},
	Tags:         []string{"stats", "memory info", "status", "statistics"},
	Example:      `{}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          memoryStats,
})

func memoryStats(ctx context.Context, call *tool.Call, _ struct{}) (*statsResult, error) {
	now, s := call.Clock.Now(), stats{}
	types, err := memories.Aggregate(ctx, call.Store, tool.AggregateQuery{By: []string{"type"}})
	if err != nil {
		return nil, err
	}
	for _, g := range types {
		s.add(g)
	}
	if s.AverageImportance, err = average(ctx, call, now); err != nil {
		return nil, err
	}
	week := tool.Where("created", tool.GreaterEqual, now.Add(-7*24*time.Hour))
	added, err := memories.Aggregate(ctx, call.Store, tool.AggregateQuery{Where: []tool.Condition{week}})
	if err != nil {
		return nil, err
	}
	for _, g := range added {
		s.AddedThisWeek += g.Count
	}
	return &statsResult{Message: fmt.Sprintf("%d memory(ies), %d of them from the last 7 days.", s.Total, s.AddedThisWeek), Stats: s}, nil
}

func (s *stats) add(g tool.Group) {
	s.Total += g.Count
	switch g.By[0] {
	case "fact":
		s.ByType.Fact += g.Count
	case "preference":
		s.ByType.Preference += g.Count
	case "event":
		s.ByType.Event += g.Count
	case "skill":
		s.ByType.Skill += g.Count
	}
}

// average returns the average importance of all memories at a time. Memories of one day
// of access have decayed by the same factor, so their sums are enough.
func average(ctx context.Context, call *tool.Call, now time.Time) (float64, error) {
	days, err := memories.Aggregate(ctx, call.Store, tool.AggregateQuery{By: []string{"accessed"}, Sum: "importance"})
	if err != nil {
		return 0, err
	}
	count, sum := 0, 0.0
	for _, g := range days {
		day, err := strconv.ParseFloat(fmt.Sprint(g.By[0]), 64)
		if err != nil {
			return 0, err
		}
		part, err := strconv.ParseFloat(string(g.Sum), 64)
		if err != nil {
			return 0, err
		}
		count += g.Count
		sum += part * factor(dayOf(now)-int(day))
	}
	if count == 0 {
		return 0, nil
	}
	return rounded(sum / float64(count)), nil
}
