package goals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// newStep is a step as decompose_goal takes it.
type newStep struct {
	Title       string `json:"title" doc:"What is to be done." min:"1" max:"500"`
	Description string `json:"description,omitempty" doc:"Details." max:"100000"`
	DependsOn   []int  `json:"dependsOn,omitempty" doc:"The steps of this list that must be done before, by their index from 0." max:"100"`
}

// checkSteps refuses steps without a title, and dependences that are unknown or go in a
// circle.
func checkSteps(list []newStep) error {
	for i, s := range list {
		if strings.TrimSpace(s.Title) == "" {
			return tool.Fail(tool.ValidationError, "steps[%d].title is missing or blank; nothing was stored", i)
		}
		for _, on := range s.DependsOn {
			if on < 0 || on >= len(list) {
				return tool.Fail(tool.ValidationError,
					"steps[%d].dependsOn: %s depends on step %d, which does not exist: the steps of this call have the indexes 0 to %d; "+
						"nothing was stored",
					i, titled(list, i), on, len(list)-1)
			}
		}
	}
	if circle := circleOf(list); circle != nil {
		var names []string
		for _, i := range circle {
			names = append(names, titled(list, i))
		}
		return tool.Fail(tool.ValidationError,
			"steps[%d].dependsOn: these steps depend on each other in a circle, so none could be done first: %s; nothing was stored",
			circle[0], strings.Join(names, " -> "))
	}
	return nil
}

func titled(list []newStep, i int) string {
	return fmt.Sprintf("%d %q", i, textcut.Excerpt(list[i].Title, 80))
}

// circleOf returns steps each of which depends on the next, with the first one again at the
// end; nil if no dependences go in a circle.
func circleOf(list []newStep) []int {
	const (
		unseen = iota
		onPath
		clean
	)
	marks := make([]int, len(list))
	var path []int
	var walk func(i int) []int
	walk = func(i int) []int {
		switch marks[i] {
		case clean:
			return nil
		case onPath:
			return append(slices.Clone(path[slices.Index(path, i):]), i)
		}
		marks[i] = onPath
		path = append(path, i)
		for _, on := range list[i].DependsOn {
			if circle := walk(on); circle != nil {
				return circle
			}
		}
		path = path[:len(path)-1]
		marks[i] = clean
		return nil
	}
	for i := range list {
		if circle := walk(i); circle != nil {
			return circle
		}
	}
	return nil
}
