package goals

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestCheckSteps(t *testing.T) {
	for _, tt := range []struct {
		depends [][]int
		wrong   string
	}{
		{[][]int{{}, {0}, {0, 1, 1}}, ""},
		{[][]int{{2}, {}, {1}}, ""},
		{[][]int{{0}}, `steps[0].dependsOn: these steps depend on each other in a circle, so none could be done first: 0 "step 0" -> 0 "step 0"`},
		{[][]int{{}, {3}, {1}, {2}}, `steps[1].dependsOn: these steps depend on each other in a circle, so none could be done first: 1 "step 1" -> 3 "step 3" -> 2 "step 2" -> 1 "step 1"`},
		{[][]int{{1}, {2}, {1}}, `1 "step 1" -> 2 "step 2" -> 1 "step 1"`},
		{
			[][]int{{}, {2}},
			`steps[1].dependsOn: 1 "step 1" depends on step 2, which does not exist: the steps of this call have the indexes 0 to 1`,
		},
		{[][]int{{-1}}, "depends on step -1, which does not exist"},
	} {
		var list []newStep
		for i, on := range tt.depends {
			list = append(list, newStep{Title: fmt.Sprint("step ", i), DependsOn: on})
		}
		err := tool.AsError(checkSteps(list))
		if (err == nil) != (tt.wrong == "") || err != nil && (err.Kind != tool.ValidationError || !strings.Contains(err.Msg, tt.wrong)) {
			t.Errorf("%v: %v, want %q", tt.depends, err, tt.wrong)
		}
	}
}

// TestCircleOfMany: a hundred steps that all depend on all before take no exponential time.
func TestCircleOfMany(t *testing.T) {
	list := make([]newStep, 100)
	for i := range list {
		for on := range i {
			list[i].DependsOn = append(list[i].DependsOn, on)
		}
	}
	if circle := circleOf(list); circle != nil {
		t.Errorf("circle %v", circle)
	}
	list[0].DependsOn = []int{99}
	if circle := circleOf(list); !slices.Equal(circle, []int{0, 99, 0}) {
		t.Errorf("circle %v, want 0, 99, 0", circle)
	}
}
