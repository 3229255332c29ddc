package goals

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/helve-dev/helve/tool"
)

type byStatus struct {
	Active    int `json:"active"`
	Paused    int `json:"paused"`
	Completed int `json:"completed"`
	Abandoned int `json:"abandoned"`
}

type stats struct {
	Total           int      `json:"total" doc:"The sum of byStatus."`
	ByStatus        byStatus `json:"byStatus"`
	AverageProgress float64  `json:"averageProgress" doc:"Of all goals, in percent; 0 if there is none."`
}

type statsResult struct {
	Message string `json:"message"`
	Stats   stats  `json:"stats"`
}

var _ = tool.Add(Set, tool.Spec[struct{}, *statsResult]{
	Name:         "goal_stats",
	Description:  "Count the person's goals by status, and return that with their average progress.",
	Aliases:      []string{"get_goal_stats"},
	Tags:         []string{"goal stats", "progress", "report", "how am I doing"},
	Example:      `{}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          goalStats,
})

func goalStats(ctx context.Context, call *tool.Call, _ struct{}) (*statsResult, error) {
	groups, err := goals.Aggregate(ctx, call.Store, tool.AggregateQuery{By: []string{"status"}, Sum: "progress"})
	if err != nil {
		return nil, err
	}
	var s stats
	sum := 0.0
	for _, g := range groups {
		part, err := strconv.ParseFloat(string(g.Sum), 64)
		if err != nil {
			return nil, err
		}
		sum += part
		s.add(g)
	}
	if s.Total > 0 {
		s.AverageProgress = math.Round(100*sum/float64(s.Total)) / 100
	}
	return &statsResult{
		Message: fmt.Sprintf("%d goal(s), %d of them active; the average progress is %v%%.", s.Total, s.ByStatus.Active, s.AverageProgress),
		Stats:   s,
	}, nil
}

func (s *stats) add(g tool.Group) {
	s.Total += g.Count
	switch g.By[0] {
	case active:
		s.ByStatus.Active += g.Count
	case "paused":
		s.ByStatus.Paused += g.Count
	case completed:
		s.ByStatus.Completed += g.Count
	case "abandoned":
		s.ByStatus.Abandoned += g.Count
	}
}
